// The files of a folder, and of the folders in it, that may hold mail, in the order in which the mail came.
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { MailFile } from "./mail-file.ts";

/** Is told of what cannot be read; the search goes on without it. */
export type OnUnreadable = (error: unknown) => void;

interface StoredFile extends MailFile {
  /** Of its last change, in milliseconds. */
  readonly time: number;
}

const MAILDIR_PARTS = ["cur", "new"];
/** MailHog's names are random: only the file's time tells when the mail came. */
const MAILHOG_NAME = /^[\w-]{43}=@/;

export async function filesInFolder(folder: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths = await pathsAmong(entries, folder, onUnreadable);
  if (paths.length === 0 && !isMaildir(entries)) throw new Error(`there is no mail in the folder ${folder}`);
  const files: StoredFile[] = [];
  for (const path of paths) {
    try {
      const found = await stat(path);
      if (!found.isFile()) throw new Error(`${path} is neither a file nor a folder of its own`);
      files.push({ path, size: found.size, time: found.mtimeMs });
    } catch (error) {
      onUnreadable(error);
    }
  }
  return files.sort(byDelivery);
}

const isMaildir = (entries: readonly Dirent[]) => entries.some(({ name }) => name === "cur");
const isMaildirPart = ({ name }: Dirent) => MAILDIR_PARTS.includes(name);

/**
 * Without hidden files. Maildir++ keeps its subfolders beside cur and new, their names after a dot: `.Sent`,
 * `.Archive.2026`; what else is there belongs to the mail program.
 */
async function pathsAmong(
  entries: readonly Dirent[],
  folder: string,
  onUnreadable: OnUnreadable,
): Promise<string[]> {
  const isInMaildir = isMaildir(entries);
  const counts = (entry: Dirent) =>
    isInMaildir ? entry.isDirectory() || isMaildirPart(entry) : !entry.name.startsWith(".");
  const found: string[][] = [];
  for (const entry of entries.filter(counts)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      found.push([path]);
      continue;
    }
    const inside = await entriesOf(path, onUnreadable);
    const isForeign = isInMaildir && !isMaildirPart(entry) && !inside.some(isMaildirPart);
    if (!isForeign) found.push(await pathsAmong(inside, path, onUnreadable));
  }
  return found.flat();
}

async function entriesOf(folder: string, onUnreadable: OnUnreadable): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    onUnreadable(error);
    return [];
  }
}

const timeUnlessNamed = ({ path, time }: StoredFile) => (MAILHOG_NAME.test(basename(path)) ? time : 0);

/** As `mailkeep export` names them. The digits within an id are no numbers. */
const ID_NAME = /^[0-7][0-9A-HJKMNP-TV-Z]{25}\b/;

/** Maildir names begin with the time of delivery in seconds, without leading zeros: sorted as numbers. */
function byName(a: string, b: string): number {
  const names = [basename(a), basename(b)] as const;
  const numeric = !names.every((name) => ID_NAME.test(name));
  return names[0].localeCompare(names[1], "en", { numeric }) || (a < b ? -1 : 1);
}

const byDelivery = (a: StoredFile, b: StoredFile) =>
  timeUnlessNamed(a) - timeUnlessNamed(b) || byName(a.path, b.path);
