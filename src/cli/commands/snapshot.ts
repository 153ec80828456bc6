// `mailkeep snapshot`: keeps mails as golden files, one text each, to be compared with later ones.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import { type Command, readInput } from "../command/command.ts";
import { GOLDEN_SETTINGS, SNAPSHOT_ENDING, snapshotsIn, snapshotsOf, subjectOf } from "../remote/golden.ts";
import { saving } from "../remote/save.ts";
import { openInbox, refuseFilters, SERVER_SETTINGS } from "../remote/settings.ts";
import { reportFailure } from "../remote/verdict.ts";

const SETTINGS = { ...GOLDEN_SETTINGS, ...SERVER_SETTINGS };
const MAX_NAME_CHARS = 60;

function nameOf(snapshot: string): string {
  const words =
    subjectOf(snapshot)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, MAX_NAME_CHARS).replace(/-$/, "") || "no-subject";
}

/** Snapshots with the same name are numbered by content, because the order of arrival varies. */
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

Writes a text for each mail of a running server, or of the files given:
header fields that matter, text, HTML, attachments; dates, times, codes,
ids and tokens are masked. All snapshots that the folder had before
(*${SNAPSHOT_ENDING}) are replaced.

Exit code: 0 written, 1 not written, or no mail, 2 wrong usage, 3 no
Mailkeep answers, or it refuses.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
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
