// Finds the mail files that a person names: files, folders, pipes, standard input.
import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { systemReason } from "../../lib/system-error.ts";

export interface MailFile {
  readonly path: string;
  readonly size: number;
  /** Null for a file within a zip. */
  readonly blob: Blob | null;
  /** May be called more than once. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Thrown for a file that is left out. The message names the file. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
}

function describeFailure(error: unknown): string {
  const { path = "" } = error as NodeJS.ErrnoException;
  return `cannot read ${path || "the mail"}: ${systemReason(error)}`;
}

/** Enough to tell the format of a file. */
const START_BYTES = 512;

/** The first bytes of a file, as one character for each octet. */
export async function startOf(file: MailFile): Promise<string> {
  let start = "";
  for await (const chunk of file.chunks()) {
    start += Buffer.from(chunk.subarray(0, START_BYTES)).toString("latin1");
    if (start.length >= START_BYTES) break;
  }
  return start.slice(0, START_BYTES);
}

export const fileOf = (path: string, blob: Blob): MailFile => ({
  path,
  size: blob.size,
  blob,
  chunks: async function* () {
    try {
      yield* blob.stream();
    } catch (cause) {
      throw new UnreadableFileError(`cannot read ${path}: ${systemReason(cause)}`, { cause });
    }
  },
});

const STANDARD_INPUT = ["-", "/dev/stdin"];

/** Keeps the content: a pipe can be read only once, but `chunks` may be called again. */
const fileOfPipe = async (path: string, bytes: Promise<Uint8Array>) => fileOf(path, new Blob([await bytes]));

async function filesAt(path: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const found = await stat(path);
  if (found.isDirectory()) return filesInFolder(path, onUnreadable);
  return [found.isFile() ? fileOf(path, Bun.file(path)) : await fileOfPipe(path, readFile(path))];
}

export async function findMailFiles(given: readonly string[], readInput: () => Promise<Uint8Array>) {
  const files: MailFile[] = [];
  /** One sentence for each file or folder that could not be read. */
  const problems: string[] = [];
  const onUnreadable = (error: unknown) => problems.push(describeFailure(error));
  for (const path of given) {
    try {
      const found = STANDARD_INPUT.includes(path)
        ? [await fileOfPipe("standard input", readInput())]
        : await filesAt(path, onUnreadable);
      for (const file of found) files.push(file);
    } catch (error) {
      onUnreadable(error);
    }
  }
  return { files, problems };
}

// The files of a folder, in the order in which the mail came

/** Called for a file or folder that cannot be read. The search continues. */
type OnUnreadable = (error: unknown) => void;

const MAILDIR_PARTS = ["cur", "new"];

async function filesInFolder(folder: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths = await pathsAmong(entries, folder, onUnreadable);
  if (paths.length === 0 && !isMaildir(entries)) throw new Error(`there is no mail in the folder ${folder}`);
  // A folder from a stranger may have links to private files.
  const inside = join(await realpath(folder), sep);
  const files: MailFile[] = [];
  for (const path of paths) {
    try {
      if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file, or a link to a folder`);
      if (!(await realpath(path)).startsWith(inside)) throw new Error(`${path} is a link out of the folder`);
      files.push(fileOf(path, Bun.file(path)));
    } catch (error) {
      onUnreadable(error);
    }
  }
  return files.sort(byName);
}

const isMaildir = (entries: readonly Dirent[]) => entries.some(({ name }) => name === "cur");
const isMaildirPart = ({ name }: Dirent) => MAILDIR_PARTS.includes(name);

/**
 * Skips hidden files and folders. A Maildir has its mail in `cur` and `new`. Maildirs inside it are
 * read, too, even hidden ones such as `.Sent`.
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
    const inside = await readdir(path, { withFileTypes: true }).catch((error): Dirent[] => {
      onUnreadable(error);
      return [];
    });
    const isForeign = isInMaildir && !isMaildirPart(entry) && !inside.some(isMaildirPart);
    if (!isForeign) found.push(await pathsAmong(inside, path, onUnreadable));
  }
  return found.flat();
}

/** A name that begins with an id, as in an export. Such names must be sorted as text. */
const ID_NAME = /^[0-7][0-9A-HJKMNP-TV-Z]{25}\b/;

/** Sorts numbers by value, because Maildir names begin with the time of delivery in seconds. */
function byName({ path: a }: MailFile, { path: b }: MailFile): number {
  const names = [basename(a), basename(b)] as const;
  const numeric = !names.every((name) => ID_NAME.test(name));
  return names[0].localeCompare(names[1], "en", { numeric }) || (a < b ? -1 : 1);
}
