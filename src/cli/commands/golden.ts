// `mailkeep snapshot` keeps mails as golden files, and `mailkeep diff` compares mails with them.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { kinds, UsageError, under } from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import { type Command, type CommandContext, readInput } from "../command/command.ts";
import { jsonLine, printable, takesStyle } from "../command/terminal.ts";
import {
  type Comparison,
  compare,
  countsOf,
  GOLDEN_SETTINGS,
  SNAPSHOT_ENDING,
  snapshotsIn,
  snapshotsOf,
  subjectOf,
} from "../remote/golden.ts";
import { saving } from "../remote/save.ts";
import { openInbox, refuseFilters, SERVER_SETTINGS } from "../remote/settings.ts";
import { reportFailure } from "../remote/verdict.ts";

// Snapshot

const SNAPSHOT_SETTINGS = { ...GOLDEN_SETTINGS, ...SERVER_SETTINGS };
const MAX_NAME_CHARS = 60;

function nameOf(snapshot: string): string {
  const words =
    subjectOf(snapshot)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, MAX_NAME_CHARS).replace(/-$/, "") || "no-subject";
}

/** Sorts by content, so that snapshots with equal names get the same numbers in every run. */
function fileNames(snapshots: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const snapshot of snapshots.toSorted()) {
    const name = nameOf(snapshot);
    let file = name;
    for (let number = 2; files.has(file + SNAPSHOT_ENDING); number++) file = `${name}-${number}`;
    files.set(file + SNAPSHOT_ENDING, snapshot);
  }
  return files;
}

/** Returns the number of snapshots that were removed. */
async function replaceSnapshots(folder: string, written: ReadonlyMap<string, string>): Promise<number> {
  await mkdir(folder, { recursive: true });
  const isOld = (name: string) => name.endsWith(SNAPSHOT_ENDING) && !written.has(name);
  const old = (await readdir(folder)).filter(isOld);
  for (const name of old) await rm(join(folder, name));
  for (const [name, snapshot] of written) await Bun.write(join(folder, name), snapshot);
  return old.length;
}

export const snapshotCommand: Command = {
  name: "snapshot",
  summary: "Keep mails as golden files, for mailkeep diff",
  usage: "[flags] FOLDER [FILE…]",
  details: `  mailkeep snapshot golden --to ann@example.com

Writes a text file for each mail of a running server, or of the given
files: the header fields that matter, text, HTML and attachments. Dates,
times, codes, ids and tokens are masked. Earlier snapshots in the folder
(*${SNAPSHOT_ENDING}) are removed.

Exit code: 0 written, 1 not written or no mail, 2 wrong usage, 3 the
server does not answer or refuses the request.`,
  settings: SNAPSHOT_SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SNAPSHOT_SETTINGS, context);
    const [folder, ...files] = positionals;
    if (folder === undefined) throw new UsageError("name a folder for the snapshots");
    if (files.length > 0) refuseFilters(settings, context);
    return reportFailure(context.err, async () => {
      const snapshots =
        files.length > 0
          ? await snapshotsIn(files, settings.mask, context)
          : await snapshotsOf(openInbox(settings, context), settings, context);
      const written = fileNames(snapshots);
      const old = await saving(folder, () => replaceSnapshots(folder, written));
      const removed = old > 0 ? `, ${old} removed` : "";
      context.out(`${counted(written.size, "snapshot")} in ${folder}${removed}\n`);
      return 0;
    });
  },
};

// Diff

const DIFF_SETTINGS = {
  format: under("Comparison", { flagOnly: true }).withDefault(
    kinds.oneOf("text", "json"),
    "text",
    "How differences are printed",
  ),
  ...GOLDEN_SETTINGS,
  ...SERVER_SETTINGS,
};

const COLORS: Readonly<Record<string, string>> = { "-": "31", "+": "32", "@": "36" };

function show({ status, subject, lines }: Comparison, { environment }: CommandContext): string {
  const hasStyle = takesStyle(process.stdout, environment);
  const styled = (line: string) => {
    const color = COLORS[line.charAt(0)];
    return hasStyle && color ? `\x1b[${color}m${line}\x1b[0m` : line;
  };
  const shown = lines.map((line) => `  ${styled(printable(line))}\n`);
  return `✗ ${status}: ${printable(subject) || "(no subject)"}\n${shown.join("")}`;
}

export const diffCommand: Command = {
  name: "diff",
  summary: "Compare mails with golden files, or with other mails",
  usage: "[flags] PATH [PATH]",
  details: `  mailkeep diff golden --to ann@example.com
  mailkeep diff before.zip after.zip

Compares the mails of the first path with those of the second, or of a
running server. A path is a folder of snapshots or of mails, a zip, an
mbox or an .eml file. Each mail is compared with the most similar one.

Exit code: 0 no difference, 1 a difference or no mail, 2 wrong usage,
3 the server does not answer or refuses the request.`,
  settings: DIFF_SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(DIFF_SETTINGS, context);
    const [before, after, ...rest] = positionals;
    if (before === undefined || rest.length > 0)
      throw new UsageError("name one or two folders or files to compare");
    if (after !== undefined) refuseFilters(settings, context);
    return reportFailure(context.err, async () => {
      const expected = await snapshotsIn([before], settings.mask, context);
      const actual =
        after === undefined
          ? await snapshotsOf(openInbox(settings, context), settings, context)
          : await snapshotsIn([after], settings.mask, context);
      const compared = compare(expected, actual);
      const different = compared.filter(({ status }) => status !== "same");
      const isSame = different.length === 0;
      if (settings.format === "json") context.out(jsonLine({ ok: isSame, mails: compared }));
      else {
        for (const one of different) context.out(show(one, context));
        context.out(`${isSame ? "✓" : "✗"} ${countsOf(compared)}\n`);
      }
      return isSame ? 0 : 1;
    });
  },
};
