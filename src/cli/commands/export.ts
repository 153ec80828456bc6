// `mailkeep export`: the mails of a running server as an mbox, a zip or a folder of .eml files.
// With --store it moves the whole mailbox of a stopped server to PostgreSQL instead.
import { type Stats, statSync } from "node:fs";
import { kinds, UsageError, under } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { counted } from "../../lib/text.ts";
import { type Command, readSettings } from "../command/command.ts";
import { isMove, moveFlags, moveMailbox } from "../mail/move-mailbox.ts";
import { printStream, saveMails, saveStream } from "../remote/save.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS } from "../remote/settings.ts";

const STANDARD_OUTPUT = ["-", "/dev/stdout"];

const flags = under("Export", { flagOnly: true });
const SETTINGS = {
  format: flags.optional(
    kinds.oneOf("mbox", "zip", "eml"),
    "eml is a folder with one file per mail; by default guessed from --output, and mbox on standard output",
  ),
  output: flags.optional(kinds.path, "File, or folder for eml; without it, or with -, standard output"),
  allowEmpty: flags.toggle("Succeed even if no mail matches"),
  ...FILTER_SETTINGS,
  ...SERVER_SETTINGS,
  ...moveFlags(
    "Export",
    "Instead of files: copy the mailbox in the data folder of a stopped server to this empty PostgreSQL",
  ),
};

/** Null if the path does not exist or is unusable. Writing to an unusable path fails later. */
function existing(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** A path that ends with a slash means a folder of eml files, even if it does not exist yet. */
const ENDINGS = { mbox: /\.mbox$/i, zip: /\.zip$/i, eml: /[\\/]$/ };

function formatOf(output: string): "mbox" | "zip" | "eml" {
  const found = existing(output);
  if (found?.isDirectory() || ENDINGS.eml.test(output)) return "eml";
  if (ENDINGS.zip.test(output)) return "zip";
  // The name of a pipe or device says nothing about the format.
  if (ENDINGS.mbox.test(output) || STANDARD_OUTPUT.includes(output) || found?.isFile() === false)
    return "mbox";
  throw new UsageError(
    `the name ${output} does not tell the format: end it with .mbox, .zip, or / for a folder of eml files, or give --format`,
  );
}

export const exportCommand: Command = {
  name: "export",
  summary: "Save the mails of a running Mailkeep as mbox, zip or eml files",
  details: `  mailkeep export --output mails.zip --since 2026-11-14T10:00:00Z

With --store the whole mailbox of a stopped server goes to PostgreSQL,
with flags, tags and inboxes; 'mailkeep import --store' brings it back.

An existing file is replaced when the export is complete. An export that
is interrupted may leave a file that ends in .part beside it.

Exit code: 0 saved, 1 not saved or no mail matches the filters, 2 wrong
usage, 3 the server does not answer or refuses the request.`,
  settings: SETTINGS,
  async run(context) {
    if (isMove(context)) return moveMailbox("export", context);
    const settings = readSettings(SETTINGS, context);
    const { format = formatOf(settings.output ?? "-"), allowEmpty } = settings;
    const output = STANDARD_OUTPUT.includes(settings.output ?? "-") ? undefined : settings.output;
    const filter = filterOf(settings, context);
    if (format === "eml" && output === undefined)
      throw new UsageError("--format eml needs --output, a folder");
    if (format !== "eml" && output !== undefined && existing(output)?.isDirectory())
      throw new UsageError(`${output} is a folder: give a file for ${format}, or --format eml`);
    if (settings.output === undefined && process.stdout.isTTY) {
      throw new UsageError("give a file with --output, or redirect standard output: this is a terminal");
    }
    return atServer(settings, context, async (inbox) => {
      const found = await inbox.count(filter);
      const isFiltered = Object.keys(filter).length > 0;
      if (found === 0 && isFiltered && !allowEmpty) {
        context.err(
          "mailkeep: no mail matches, so nothing was saved; with --allow-empty this is not an error\n",
        );
        return 1;
      }
      // The result goes to standard error, because standard output may be the exported mail.
      const where = output === undefined ? "" : ` in ${output}`;
      const tell = (mails: number, size = "") =>
        context.err(`${counted(mails, "mail")} saved${where}${size}\n`);
      if (format === "eml") {
        tell(await saveMails(inbox, await inbox.list(filter), output ?? "."));
        return;
      }
      const stream = await inbox.export(format, filter);
      if (output !== undefined) tell(found, ` (${formatSize(await saveStream(stream, output))})`);
      else {
        await printStream(stream);
        if (process.stderr.isTTY) tell(found);
      }
    });
  },
};
