// Finds the mails in files and folders: single mails (.eml), mbox files, Maildir folders, folders of .eml files.
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { UsageError } from "../../config/index.ts";
import { type MboxQuoting, MboxReader } from "./mbox-reader.ts";

export interface MailFile {
  readonly path: string;
  readonly format: "eml" | "mbox";
  readonly size: number;
}

export interface FoundMail {
  /** For messages to a person: `inbox.mbox, mail 3`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Bytes of the file read so far. */
  readonly position: number;
}

const SNIFFED_BYTES = 256;
const MBOX_START = /^From /;
const MAIL_START = /^(?:From |[!-9;-~]+:)/;

async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Maildir names begin with the time of delivery in seconds, without leading zeros: sorted as numbers. */
const byDelivery = (a: string, b: string) =>
  basename(a).localeCompare(basename(b), "en", { numeric: true }) || (a < b ? -1 : 1);

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name));
}

/** A Maildir's cur and new; else the .eml files; else, as some servers keep them, whatever begins like a mail. */
async function pathsOfFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const parts = ["cur", "new"].filter((name) => names.includes(name));
  if (parts.length > 0)
    return (await Promise.all(parts.map((part) => filesBelow(join(folder, part))))).flat();
  const files = await filesBelow(folder);
  const named = files.filter((path) => /\.eml$/i.test(path));
  if (named.length > 0) return named;
  const mails: string[] = [];
  for (const path of files) if (MAIL_START.test(await startOf(path))) mails.push(path);
  if (mails.length === 0) throw new UsageError(`there is no mail in the folder ${folder}`);
  return mails;
}

export async function findMailFiles(given: readonly string[]): Promise<MailFile[]> {
  const files: MailFile[] = [];
  try {
    for (const path of given) {
      const isFolder = (await stat(path)).isDirectory();
      const paths = isFolder ? (await pathsOfFolder(path)).sort(byDelivery) : [path];
      for (const file of paths) {
        const isMbox = !isFolder && MBOX_START.test(await startOf(file));
        files.push({ path: file, size: (await stat(file)).size, format: isMbox ? "mbox" : "eml" });
      }
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read the mail: ${(error as Error).message}`);
  }
  return files;
}

/** One mail at a time is in memory, however large the file. */
export async function* readMails(file: MailFile, quoting: MboxQuoting): AsyncGenerator<FoundMail> {
  if (file.format === "eml") {
    yield { name: file.path, bytes: await readFile(file.path), position: file.size };
    return;
  }
  const reader = new MboxReader(quoting);
  let position = 0;
  let number = 0;
  const found = (bytes: Uint8Array) => ({ name: `${file.path}, mail ${++number}`, bytes, position });
  for await (const chunk of createReadStream(file.path)) {
    position += chunk.length;
    for (const mail of reader.push(chunk)) yield found(mail);
  }
  for (const mail of reader.finish()) yield found(mail);
}
