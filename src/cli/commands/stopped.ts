// `mailkeep verify` and `mailkeep reindex`: work on the data folder of a stopped server.
import { formatSize } from "../../lib/numbers.ts";
import { counted } from "../../lib/text.ts";
import { reindexStore, type VerifyReport, verifyStore } from "../../store/index.ts";
import type { Command } from "../command/command.ts";
import { FOLDER_FLAGS, folderFailure, folderOfServer } from "../command/data-folder.ts";
import { progressOn, showIndexProgress, startProgress } from "../command/terminal.ts";
import { storeParts, warningLogger } from "../server/bundle.ts";

function describe({ messages, message_bytes, segments, problems, notes }: VerifyReport): string {
  const found = `${counted(messages, "mail")} (${formatSize(message_bytes)}) in ${counted(segments, "log file")}`;
  const verdict = problems.length === 0 ? "everything is in order" : counted(problems.length, "problem");
  const lines = [...problems.map((problem) => `  ✗ ${problem}`), ...notes.map((note) => `  ${note}`)];
  return `${[`${found}: ${verdict}`, ...lines].join("\n")}\n`;
}

export const verifyCommand: Command = {
  name: "verify",
  summary: "Check every checksum of the stored mail, and the indexes",
  details: `The server that uses the folder must be stopped. Nothing is changed.

Exit code: 0 everything is in order, 1 something is wrong, 2 wrong usage.`,
  settings: FOLDER_FLAGS,
  async run(context) {
    const dir = folderOfServer(context);
    const progress = startProgress(progressOn(context));
    try {
      const onProgress = (done: number, total: number) => progress.update("verifying", done, total);
      const report = await verifyStore({ dir, onProgress }).finally(progress.end);
      context.out(describe(report));
      return report.problems.length === 0 ? 0 : 1;
    } catch (error) {
      throw folderFailure(dir, error);
    }
  },
};

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
    const progress = startProgress(progressOn(context));
    const write = (text: string) => {
      progress.end();
      context.err(text);
    };
    try {
      const messages = await reindexStore({
        ...storeParts(warningLogger(write, now), now),
        dir,
        durability: "os",
        onProgress: showIndexProgress(progress),
      }).finally(progress.end);
      context.out(`${counted(messages, "mail")} indexed\n`);
      return 0;
    } catch (error) {
      throw folderFailure(dir, error);
    }
  },
};
