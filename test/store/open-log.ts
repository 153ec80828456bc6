// Opens only the log of a data folder, without its indexes.
import { type Logger, silentLogger } from "../../src/lib/logger.ts";
import { dataDir, prepareDataDir } from "../../src/store/log/data-dir.ts";
import { realDisk } from "../../src/store/log/disk.ts";
import { DiskSpace } from "../../src/store/log/disk-space.ts";
import { FileLog, type FileLogOptions } from "../../src/store/log/file-log.ts";
import { DamageReport } from "../../src/store/log/segment.ts";

export function openFileLog(
  root: string,
  options: Partial<FileLogOptions> = {},
  logger: Logger = silentLogger,
): FileLog {
  const dir = dataDir(root);
  const salt = prepareDataDir(dir);
  const damage = new DamageReport(dir, logger);
  return new FileLog({
    dir,
    salt,
    durability: "os",
    segmentBytes: 1 << 20,
    largeBytes: 10_000,
    disk: realDisk,
    space: new DiskSpace(dir),
    logger,
    damage,
    lastSegment: 0,
    acceptLoss: false,
    ...options,
  });
}
