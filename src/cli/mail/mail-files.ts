// Finds the mails in files and folders: single mails (.eml), mbox files, Maildir folders, folders of .eml files.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { mailsInFolder, type OnUnreadable } from "./mail-folder.ts";
import { formatOf, startOf, startOfBytes } from "./mail-start.ts";
import { type MboxQuoting, MboxReader } from "./mbox-reader.ts";

export interface MailFile {
  readonly path: string;
  readonly format: "eml" | "mbox";
  readonly size: number;
  /** Of what can be read only once: standard input, a pipe. */
  readonly content?: Uint8Array;
}

export interface MailSearch {
  readonly files: readonly MailFile[];
  /** One sentence for each file or folder that could not be read. */
  readonly problems: readonly string[];
}

export interface FoundMail {
  /** For messages to a person: `inbox.mbox, mail 3`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Bytes of the file read so far. */
  readonly position: number;
}

const STANDARD_INPUT = ["-", "/dev/stdin"];

/** What is read only once, from its beginning to its end: standard input, a pipe. */
async function fileOfStream(path: string, read: () => Promise<Uint8Array>): Promise<MailFile> {
  const content = await read();
  return { path, size: content.length, format: formatOf(path, startOfBytes(content)), content };
}

async function filesOfFolder(folder: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const files: MailFile[] = [];
  for (const path of await mailsInFolder(folder, onUnreadable)) {
    try {
      const found = await stat(path);
      if (found.isFile()) files.push({ path, size: found.size, format: "eml" });
    } catch (error) {
      onUnreadable(error);
    }
  }
  return files;
}

async function filesAt(path: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const found = await stat(path);
  if (found.isDirectory()) return filesOfFolder(path, onUnreadable);
  if (!found.isFile()) return [await fileOfStream(path, () => readFile(path))];
  return [{ path, size: found.size, format: formatOf(path, await startOf(path)) }];
}

const describe = (error: unknown) => `cannot read the mail: ${(error as Error).message}`;

export async function findMailFiles(
  given: readonly string[],
  readInput: () => Promise<Uint8Array>,
): Promise<MailSearch> {
  const files: MailFile[] = [];
  const problems: string[] = [];
  const onUnreadable = (error: unknown) => problems.push(describe(error));
  for (const path of given) {
    try {
      if (STANDARD_INPUT.includes(path)) files.push(await fileOfStream("standard input", readInput));
      else files.push(...(await filesAt(path, onUnreadable)));
    } catch (error) {
      onUnreadable(error);
    }
  }
  return { files, problems };
}

/** A file that was found and yet cannot be read. */
export class UnreadableFileError extends Error {
  constructor(cause: unknown) {
    super(describe(cause), { cause });
    this.name = "UnreadableFileError";
  }
}

async function* chunksOf({ path, content }: MailFile): AsyncGenerator<Uint8Array> {
  if (content) yield content;
  else {
    try {
      yield* createReadStream(path);
    } catch (error) {
      throw new UnreadableFileError(error);
    }
  }
}

/** One mail at a time is in memory, however large the file. */
export async function* readMails(file: MailFile, quoting: MboxQuoting): AsyncGenerator<FoundMail> {
  if (file.format === "eml") {
    const bytes = Buffer.concat(await Array.fromAsync(chunksOf(file)));
    yield { name: file.path, bytes, position: file.size };
    return;
  }
  const reader = new MboxReader(quoting);
  let position = 0;
  let number = 0;
  const found = (bytes: Uint8Array) => ({ name: `${file.path}, mail ${++number}`, bytes, position });
  for await (const chunk of chunksOf(file)) {
    position += chunk.length;
    for (const mail of reader.push(chunk)) yield found(mail);
  }
  for (const mail of reader.finish()) yield found(mail);
}
