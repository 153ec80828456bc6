// Finds the mails in files and folders: single mails (.eml), mbox files, Maildir folders, folders of .eml files.
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type MboxQuoting, MboxReader } from "./mbox-reader.ts";

export interface MailFile {
  readonly path: string;
  readonly format: "eml" | "mbox";
  readonly size: number;
  /** Of what can be read only once: standard input. */
  readonly content?: Uint8Array;
}

export interface MailSearch {
  readonly files: readonly MailFile[];
  /** One sentence for each path that could not be read. */
  readonly problems: readonly string[];
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

const MAILDIR_PARTS = ["cur", "new"];

/** The mails of a Maildir; empty when it is none. */
async function pathsOfMaildir(folder: string, names: readonly string[]): Promise<string[]> {
  const parts = MAILDIR_PARTS.filter((name) => names.includes(name));
  return (await Promise.all(parts.map((part) => filesBelow(join(folder, part))))).flat();
}

/** Maildir++ keeps its subfolders beside cur and new, their names after a dot: `.Sent`, `.Archive.2026`. */
async function pathsOfSubfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const subfolders = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith("."));
  const paths = await Promise.all(
    subfolders.map(async ({ name }) => {
      const subfolder = join(folder, name);
      return pathsOfMaildir(subfolder, await readdir(subfolder));
    }),
  );
  return paths.flat();
}

/** A Maildir's mails; else the .eml files; else, as some servers keep them, whatever begins like a mail. */
async function pathsOfFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  if (MAILDIR_PARTS.some((part) => names.includes(part)))
    return [...(await pathsOfMaildir(folder, names)), ...(await pathsOfSubfolders(folder))];
  const files = await filesBelow(folder);
  const named = files.filter((path) => /\.eml$/i.test(path));
  if (named.length > 0) return named;
  const mails: string[] = [];
  for (const path of files) if (MAIL_START.test(await startOf(path))) mails.push(path);
  if (mails.length === 0) throw new Error(`there is no mail in the folder ${folder}`);
  return mails;
}

/** A file with nothing in it is an mbox without mails. */
const formatOf = (start: string): MailFile["format"] =>
  start === "" || MBOX_START.test(start) ? "mbox" : "eml";

async function filesAt(path: string): Promise<MailFile[]> {
  if (!(await stat(path)).isDirectory()) {
    return [{ path, size: (await stat(path)).size, format: formatOf(await startOf(path)) }];
  }
  const paths = (await pathsOfFolder(path)).sort(byDelivery);
  return Promise.all(
    paths.map(
      async (file): Promise<MailFile> => ({ path: file, size: (await stat(file)).size, format: "eml" }),
    ),
  );
}

const STANDARD_INPUT = ["-", "/dev/stdin"];

async function fileOfInput(readInput: () => Promise<Uint8Array>): Promise<MailFile> {
  const content = await readInput();
  const start = Buffer.from(content.subarray(0, SNIFFED_BYTES)).toString("latin1");
  return { path: "standard input", size: content.length, format: formatOf(start), content };
}

export async function findMailFiles(
  given: readonly string[],
  readInput: () => Promise<Uint8Array>,
): Promise<MailSearch> {
  const files: MailFile[] = [];
  const problems: string[] = [];
  for (const path of given) {
    try {
      if (STANDARD_INPUT.includes(path)) files.push(await fileOfInput(readInput));
      else files.push(...(await filesAt(path)));
    } catch (error) {
      problems.push(`cannot read the mail: ${(error as Error).message}`);
    }
  }
  return { files, problems };
}

/** One mail at a time is in memory, however large the file. */
export async function* readMails(file: MailFile, quoting: MboxQuoting): AsyncGenerator<FoundMail> {
  if (file.format === "eml") {
    yield { name: file.path, bytes: file.content ?? (await readFile(file.path)), position: file.size };
    return;
  }
  const reader = new MboxReader(quoting);
  let position = 0;
  let number = 0;
  const found = (bytes: Uint8Array) => ({ name: `${file.path}, mail ${++number}`, bytes, position });
  const chunks: AsyncIterable<Buffer> | Uint8Array[] = file.content
    ? [file.content]
    : createReadStream(file.path);
  for await (const chunk of chunks) {
    position += chunk.length;
    for (const mail of reader.push(chunk)) yield found(mail);
  }
  for (const mail of reader.finish()) yield found(mail);
}
