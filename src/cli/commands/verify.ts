// `mailkeep verify`: checks the data folder of a stopped server and changes nothing.
import { counted } from "../../lib/counted.ts";
import { formatSize } from "../../lib/size.ts";
import { type VerifyReport, verifyStore } from "../../store/index.ts";
import type { Command } from "../command/command.ts";
import { FOLDER_FLAGS, folderFailure, folderOfServer } from "../command/data-folder.ts";
import { progressOn, startProgress } from "../command/terminal.ts";

function describe({ messages, message_bytes, segments, problems, notes }: VerifyReport): string {
  const found = `${counted(messages, "mail")} (${formatSize(message_bytes)}) in ${counted(segments, "segment")}`;
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
    const progress = startProgress({ ...progressOn(context), task: "verifying" });
    try {
      const report = await verifyStore({ dir, onProgress: progress.update }).finally(progress.end);
      context.out(describe(report));
      return report.problems.length === 0 ? 0 : 1;
    } catch (error) {
      throw folderFailure(dir, error);
    }
  },
};
