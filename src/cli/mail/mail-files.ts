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

const MBOX_START = "From ";

async function describeFile(path: string, size: number): Promise<MailFile> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MBOX_START.length), 0, MBOX_START.length, 0);
    const isMbox = buffer.toString("latin1", 0, bytesRead) === MBOX_START;
    return { path, size, format: isMbox ? "mbox" : "eml" };
  } finally {
    await file.close();
  }
}

/** Maildir names begin with the time of delivery in seconds, without leading zeros: sorted as numbers. */
const byDelivery = (a: string, b: string) =>
  basename(a).localeCompare(basename(b), "en", { numeric: true }) || (a < b ? -1 : 1);

async function filesOfFolder(folder: string): Promise<MailFile[]> {
  const names = await readdir(folder);
  const isMaildir = names.includes("cur") || names.includes("new");
  const found: string[] = [];
  if (isMaildir) {
    for (const part of ["cur", "new"].filter((name) => names.includes(name))) {
      const mails = await readdir(join(folder, part));
      found.push(...mails.filter((name) => !name.startsWith(".")).map((name) => join(folder, part, name)));
    }
  } else {
    found.push(...names.filter((name) => /\.eml$/i.test(name)).map((name) => join(folder, name)));
  }
  if (found.length === 0 && !isMaildir) {
    throw new UsageError(`${folder} is no Maildir (with cur and new) and has no .eml file`);
  }
  const files: MailFile[] = [];
  for (const path of found.sort(byDelivery)) {
    files.push({ path, size: (await stat(path)).size, format: "eml" });
  }
  return files;
}

export async function findMailFiles(paths: readonly string[]): Promise<MailFile[]> {
  const files: MailFile[] = [];
  for (const path of paths) {
    const entry = await stat(path).catch((error: Error) => {
      throw new UsageError(`cannot read ${path}: ${error.message}`);
    });
    if (entry.isDirectory()) files.push(...(await filesOfFolder(path)));
    else files.push(await describeFile(path, entry.size));
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
