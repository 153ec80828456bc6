// One file with mail in it, read from its beginning.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { START_BYTES } from "./mail-format.ts";

export interface MailFile {
  readonly path: string;
  readonly size: number;
  /** Of what can be read only once: standard input, a pipe, a file within a zip. */
  readonly content?: Uint8Array;
}

/** What is left out, in a sentence that names it. */
export class UnreadableFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnreadableFileError";
  }
}

/** Stands in a name for what is no UTF-8, and by that name there is no file. */
const NO_UTF8 = "\ufffd";

export function describeFailure(error: unknown): string {
  const { message, code, path = "" } = error as NodeJS.ErrnoException;
  const isMisread = code === "ENOENT" && path.includes(NO_UTF8);
  const reason = isMisread
    ? `the name ${path} is not UTF-8; "-" reads the file from standard input`
    : message;
  return `cannot read the mail: ${reason}`;
}

const unreadable = (cause: unknown) => new UnreadableFileError(describeFailure(cause), { cause });

export async function startOf({ path, content }: MailFile): Promise<string> {
  if (content) return Buffer.from(content.subarray(0, START_BYTES)).toString("latin1");
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch (error) {
    throw unreadable(error);
  }
}

export async function* chunksOf({ path, content }: MailFile): AsyncGenerator<Uint8Array> {
  if (content) {
    yield content;
    return;
  }
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw unreadable(error);
  }
}
