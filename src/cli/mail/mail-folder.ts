// Finds the mails of a folder: a Maildir, a folder of .eml files, or one of files that begin like mails.
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { beginsLikeMail, hasMailName, startOf } from "./mail-start.ts";

/** Is told of what cannot be read; the search goes on without it. */
export type OnUnreadable = (error: unknown) => void;

const MAILDIR_PARTS = ["cur", "new"];

/** Maildir names begin with the time of delivery in seconds, without leading zeros: sorted as numbers. */
const byDelivery = (a: string, b: string) =>
  basename(a).localeCompare(basename(b), "en", { numeric: true }) || (a < b ? -1 : 1);

/** A Maildir's mails; else the .eml files; else, as some servers keep them, whatever begins like a mail. */
export async function mailsInFolder(folder: string, onUnreadable: OnUnreadable): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const isMaildir = entries.some(({ name }) => MAILDIR_PARTS.includes(name));
  const paths = isMaildir
    ? await mailsOfMaildir(folder, entries, onUnreadable)
    : await mailsAmong(filePaths(folder, entries), folder, onUnreadable);
  return paths.sort(byDelivery);
}

/** A link may lead to a file; whoever reads it will see. */
const filePaths = (folder: string, entries: readonly Dirent[]): string[] =>
  entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name));

async function entriesOf(folder: string, onUnreadable: OnUnreadable): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    onUnreadable(error);
    return [];
  }
}

/** Maildir++ keeps its subfolders beside cur and new, their names after a dot: `.Sent`, `.Archive.2026`. */
async function mailsOfMaildir(
  folder: string,
  entries: readonly Dirent[],
  onUnreadable: OnUnreadable,
): Promise<string[]> {
  const subfolders = entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("."))
    .map(({ name }) => join(folder, name));
  const mails = [await mailsOfParts(folder, entries, onUnreadable)];
  for (const subfolder of subfolders) {
    const inside = await entriesOf(subfolder, onUnreadable);
    mails.push(await mailsOfParts(subfolder, inside, onUnreadable));
  }
  return mails.flat();
}

async function mailsOfParts(
  folder: string,
  entries: readonly Dirent[],
  onUnreadable: OnUnreadable,
): Promise<string[]> {
  const names = entries.map(({ name }) => name);
  const parts = MAILDIR_PARTS.filter((part) => names.includes(part)).map((part) => join(folder, part));
  const paths: string[] = [];
  for (const part of parts) paths.push(...filePaths(part, await entriesOf(part, onUnreadable)));
  return paths;
}

async function mailsAmong(
  paths: readonly string[],
  folder: string,
  onUnreadable: OnUnreadable,
): Promise<string[]> {
  const named = paths.filter(hasMailName);
  if (named.length > 0) return named;
  let isEmpty = true;
  const mails: string[] = [];
  for (const path of paths) {
    try {
      const isFile = (await stat(path)).isFile();
      if (!isFile || !beginsLikeMail(await startOf(path))) continue;
      mails.push(path);
    } catch (error) {
      onUnreadable(error);
    }
    isEmpty = false;
  }
  if (isEmpty) throw new Error(`there is no mail in the folder ${folder}`);
  return mails;
}
