// `mailkeep verify`: reads the whole log, checks every checksum, builds the rows anew in memory and compares
// them with the index on disk. Changes nothing, and works where nothing can be changed.
import { accessSync, constants } from "node:fs";
import { silentLogger } from "../../lib/logger.ts";
import { openDerived, openTrusted } from "../derived-db.ts";
import { asStoreError, isDiskFull, unusable } from "../errors.ts";
import { type Lock, lockDataDir, lockToRead } from "../lock.ts";
import { type DataDir, dataDir } from "../log/data-dir.ts";
import { trueFormat } from "../log/format.ts";
import { assertOnlyCopies } from "../log/order.ts";
import { assertStoreIn } from "../log/places.ts";
import { surveySegments } from "../log/recovery.ts";
import { isRepeated } from "../log/repeats.ts";
import { type Damage, replay } from "../log/replay.ts";
import { Rows } from "../rows/rows.ts";
import { ROWS_SCHEMA } from "../rows/schema.ts";
import type { MessageScan } from "../store.ts";
import { copyIndexes } from "./index-copies.ts";
import type { Findings } from "./problem.ts";
import { checkBodies } from "./verify-bodies.ts";
import { checkIndex, reportUnusable } from "./verify-index.ts";
import { type CheckedLog, reportDamages } from "./verify-log.ts";
import { checkSearch } from "./verify-search.ts";

export interface VerifyReport extends Findings {
  readonly segments: number;
  readonly messages: number;
  /** Bytes of raw mail that is alive. */
  readonly message_bytes: number;
}

export interface VerifyOptions {
  readonly dir: string;
  readonly startScan: () => MessageScan;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function verifyStore(options: VerifyOptions): Promise<VerifyReport> {
  const dir = dataDir(options.dir);
  assertStoreIn(dir);
  const isWritable = mayWrite(dir.root);
  const lock = lockFor(dir, isWritable);
  try {
    if (isWritable)
      return await verifyLocked(dir, options).catch((error) => verifyOnFullDisk(dir, options, error));
    return await verifyCopies(dir, options);
  } catch (error) {
    throw asStoreError(error);
  } finally {
    lock.release();
  }
}

/** SQLite needs room to read an index. */
function verifyOnFullDisk(dir: DataDir, options: VerifyOptions, error: unknown): Promise<VerifyReport> {
  if (!isDiskFull(error)) throw error;
  return verifyCopies(dir, options);
}

async function verifyCopies(dir: DataDir, options: VerifyOptions): Promise<VerifyReport> {
  using copies = copyIndexes(dir);
  return await verifyLocked({ ...dir, ...copies.paths }, options);
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder that cannot be used is one line. */
function lockFor(dir: DataDir, isWritable: boolean): Lock {
  try {
    return isWritable ? lockDataDir(dir, silentLogger) : lockToRead(dir);
  } catch (error) {
    throw unusable(dir.root, error);
  }
}

async function verifyLocked(dir: DataDir, options: VerifyOptions): Promise<VerifyReport> {
  const { format, fault } = trueFormat(dir);
  const salt = format?.salt ?? 0;
  const { segments } = surveySegments(dir, salt);
  const log: CheckedLog = { dir, salt, segments };
  const findings: Findings = { problems: [], notes: [] };
  if (fault !== null)
    findings.notes.push(`${dir.format}: ${fault}; the next start writes it by what the log says`);
  const damages: Damage[] = [];
  const memory = openDerived(":memory:", ROWS_SCHEMA, salt);
  const rows = new Rows(memory.db);
  await replay(rows, segments, {
    dir,
    salt,
    startScan: options.startScan,
    onDamage: (damage) => damages.push(damage),
    onProgress: options.onProgress ?? (() => {}),
  });
  if (damages.some(isRepeated)) assertOnlyCopies(segments, log);
  const opened = openTrusted(dir.rows, ROWS_SCHEMA, salt);
  const index = opened.db === null ? null : new Rows(opened.db);
  reportDamages(damages, index?.state ?? null, log, findings);
  const lost = await checkBodies(rows, log, findings);
  const toldAtStart = index?.unsearchedDeletes() ?? null;
  const isMadeAnew = index !== null && checkIndex(index, rows, lost, log, findings);
  if (index === null) reportUnusable(dir, opened.why, findings);
  index?.finish();
  opened.db?.close();
  if (!isMadeAnew) checkSearch(rows, toldAtStart, log, findings);
  const { messages, bytes } = rows.state;
  rows.finish();
  memory.db.close();
  return { segments: segments.length, messages, message_bytes: bytes, ...findings };
}
