// Every log keeps the same contract.

import type { FileLogOptions } from "../../src/store/log/file-log.ts";
import { MemoryLog } from "../../src/store/log/memory-log.ts";
import { describeLog } from "../contract/log.ts";
import { useFolders } from "../support/folders.ts";
import { openFileLog } from "./open-log.ts";

const freshFolder = useFolders();

const inFiles = (options: Partial<FileLogOptions>) => async () => {
  const root = freshFolder();
  const log = openFileLog(root, options);
  return {
    log,
    reopen: async () => {
      await log.close();
      return openFileLog(root, options);
    },
  };
};

describeLog("the log in memory", async () => ({ log: new MemoryLog(), reopen: null }));
describeLog("the log in files", inFiles({}));
describeLog("the log in files, synced to disk", inFiles({ durability: "disk" }));
describeLog("the log in files, with a segment for every record or two", inFiles({ segmentBytes: 300 }));
