// `mailkeep export`: the mails of a running server as an mbox, a zip or a folder of .eml files.
import { statSync } from "node:fs";
import { connect } from "../client/index.ts";
import { kinds, UsageError, under } from "../config/index.ts";
import { counted } from "../lib/counted.ts";
import { formatSize } from "../lib/size.ts";
import type { Command } from "./command.ts";
import { reportFailure } from "./inbox/exit-codes.ts";
import { saveMails } from "./inbox/save-mails.ts";
import { printStream, saveStream } from "./inbox/save-stream.ts";
import { FILTER_SETTINGS, filterOf } from "./inbox/settings.ts";
import { readInput, refusePositionals } from "./read-input.ts";
import { serverUrl, URL_SETTING } from "./server-url.ts";

const STANDARD_OUTPUT = ["-", "/dev/stdout"];

const flags = under("Export", { flagOnly: true });
const SETTINGS = {
  format: flags.optional(
    kinds.oneOf("mbox", "zip", "eml"),
    "eml is a folder with a file for each mail; without it, what --output is or ends with, or mbox",
  ),
  output: flags.optional(kinds.path, "File, or folder for eml; without it, or with -, standard output"),
  ...FILTER_SETTINGS,
  url: URL_SETTING,
};

/** Why a path cannot be used is told when it is. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A folder that is not there yet is written with a slash behind its name. */
const ENDINGS = { zip: /\.zip$/i, eml: /\.eml$|[\\/]$/i };

function formatOf(output = ""): "mbox" | "zip" | "eml" {
  if (isFolder(output) || ENDINGS.eml.test(output)) return "eml";
  return ENDINGS.zip.test(output) ? "zip" : "mbox";
}

export const exportCommand: Command = {
  name: "export",
  summary: "Save the mails of a running Mailkeep as mbox, zip or eml files",
  usage: "[flags]",
  details: `  mailkeep export --output mails.zip --since 2026-11-14T10:00:00Z

Exit code: 0 saved, 1 not, 2 wrong usage, 3 the server cannot be reached.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    refusePositionals(positionals);
    const { format = formatOf(settings.output) } = settings;
    const output = STANDARD_OUTPUT.includes(settings.output ?? "-") ? undefined : settings.output;
    const filter = filterOf(settings);
    if (format === "eml" && output === undefined)
      throw new UsageError("--format eml needs --output, a folder");
    if (format !== "eml" && output !== undefined && isFolder(output))
      throw new UsageError(`${output} is a folder: give a file for ${format}, or --format eml`);
    if (settings.output === undefined && process.stdout.isTTY) {
      throw new UsageError("give a file with --output, or redirect standard output: this is a terminal");
    }
    return reportFailure(context.err, async () => {
      const inbox = connect({ url: serverUrl(settings.url, context), since: "all" });
      if (format === "eml") {
        const mails = await inbox.list(filter);
        const saved = await saveMails(inbox, mails, output ?? ".");
        context.out(`${counted(saved, "mail")} saved in ${output}\n`);
        return 0;
      }
      const stream = await inbox.export(format, filter);
      if (output === undefined) await printStream(stream);
      else {
        const bytes = await saveStream(stream, output);
        // To a person only: a script goes by the exit code, and standard output may be what was saved to.
        if (process.stderr.isTTY) context.err(`${formatSize(bytes)} saved in ${output}\n`);
      }
      return 0;
    });
  },
};
