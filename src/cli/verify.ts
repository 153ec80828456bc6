// `mailkeep verify`: checks the data folder of a stopped server and changes nothing.
import { counted } from "../lib/counted.ts";
import { formatSize } from "../lib/size.ts";
import { type VerifyReport, verifyStore } from "../store/index.ts";
import type { Command } from "./command.ts";
import { FOLDER_FLAGS, folderFailure, folderOfServer } from "./data-folder.ts";
import { startProgress } from "./progress.ts";
import { isTerminal } from "./terminal.ts";

function describe({ messages, message_bytes, segments, problems, notes }: VerifyReport): string {
  const found = `${counted(messages, "mail")} (${formatSize(message_bytes)}) in ${counted(segments, "segment")}`;
  const verdict = problems.length === 0 ? "everything is in order" : counted(problems.length, "problem");
  const lines = [...problems.map((problem) => `  ✗ ${problem}`), ...notes.map((note) => `  ${note}`)];
  return `${[`${found}: ${verdict}`, ...lines].join("\n")}\n`;
}

export const verifyCommand: Command = {
  name: "verify",
  summary: "Check every checksum of the stored mail, and the indexes",
  usage: "[flags]",
  details: `The server that uses the folder must be stopped. Nothing is changed.

Exit code: 0 everything is in order, 1 something is wrong, 2 wrong usage.`,
  settings: FOLDER_FLAGS,
  async run(context) {
    const dir = folderOfServer(context);
    const progress = startProgress({
      task: "verifying",
      isTerminal: isTerminal(process.stderr, context.environment),
      write: context.err,
      now: () => performance.now(),
    });
    try {
      const report = await verifyStore({ dir, onProgress: progress.update });
      progress.end();
      context.out(describe(report));
      return report.problems.length === 0 ? 0 : 1;
    } catch (error) {
      progress.end();
      throw folderFailure(dir, error);
    }
  },
};
