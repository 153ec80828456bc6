// `mailkeep reindex`: rebuilds the indexes of a stopped server from its log.
import { counted } from "../../lib/counted.ts";
import { createLogger } from "../../lib/logger.ts";
import { startScan } from "../../mime/index.ts";
import { reindexStore } from "../../store/index.ts";
import type { Command } from "../command/command.ts";
import { FOLDER_FLAGS, folderFailure, folderOfServer } from "../command/data-folder.ts";
import { progressOn, showIndexProgress } from "../command/terminal.ts";
import { startWorker } from "../server/bundle.ts";

export const reindexCommand: Command = {
  name: "reindex",
  summary: "Rebuild the indexes from the stored mail",
  details: `The server that uses the folder must be stopped. The mail itself is not
touched; the indexes only help to find it.

Exit code: 0 done, 1 it failed or a file of the mail is missing, 2 wrong
usage.`,
  settings: FOLDER_FLAGS,
  async run(context) {
    const dir = folderOfServer(context);
    const now = () => new Date();
    const { update, end } = showIndexProgress(progressOn(context));
    const write = (line: string) => {
      end();
      context.err(`mailkeep: ${line}\n`);
    };
    try {
      const messages = await reindexStore({
        dir,
        startScan,
        startSearchWorker: () => startWorker("search-worker"),
        durability: "os",
        now,
        logger: createLogger({ level: "warn", format: "text", write, now }),
        onProgress: update,
      }).finally(end);
      context.out(`${counted(messages, "mail")} indexed\n`);
      return 0;
    } catch (error) {
      throw folderFailure(dir, error);
    }
  },
};
