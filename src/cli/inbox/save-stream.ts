// Writes all mails as one stream: to a file, to whatever else has a path, or to standard output.
import { rmSync } from "node:fs";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { cannotSave } from "./cannot-save.ts";
import { onInterruption } from "./interruption.ts";

type ByteStream = AsyncIterable<Uint8Array>;

/**
 * A pipe, a device or a socket is written to; a file is replaced by one that is whole. Answers with the number of
 * bytes.
 */
export async function saveStream(stream: ByteStream, path: string): Promise<number> {
  try {
    const existing = await statOf(path);
    if (existing !== null && !existing.isFile()) return await writeThrough(stream, path);
    return await replaceFile(stream, await targetOf(path), existing?.mode);
  } catch (error) {
    throw cannotSave(path, error);
  }
}

const isMissing = (error: unknown) => Object(error).code === "ENOENT";

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Where links lead, also when there is nothing yet: the links stay, what they name is replaced. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const link = await readlink(path).catch(() => null);
    if (link === null) return path;
    // Not joined: ".." behind a linked folder is the parent of where that leads.
    return targetOf(isAbsolute(link) ? link : `${dirname(path)}/${link}`);
  }
}

async function writeThrough(stream: ByteStream, path: string): Promise<number> {
  await using file = await open(path, "w");
  return await writeAll(stream, file);
}

const PERMISSIONS = 0o7777;
const NEW_FILE_MODE = 0o666;

/** The file appears under its name only when it is whole; its permissions stay those of the one before. */
async function replaceFile(stream: ByteStream, path: string, mode?: number): Promise<number> {
  const unfinished = join(dirname(path), `mailkeep-${crypto.randomUUID()}.part`);
  using _interruption = onInterruption(() => rmSync(unfinished, { force: true }));
  const file = await open(unfinished, "wx", (mode ?? NEW_FILE_MODE) & PERMISSIONS);
  try {
    const bytes = await writeAll(stream, file);
    // What the umask took away when it was made.
    if (mode !== undefined) await file.chmod(mode & PERMISSIONS);
    await file.close();
    await rename(unfinished, path);
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Reads on only when what was read is written. */
async function writeAll(stream: ByteStream, file: FileHandle): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    for (let written = 0; written < chunk.length; ) {
      written += (await file.write(chunk, written)).bytesWritten;
    }
    bytes += chunk.length;
  }
  return bytes;
}

export async function printStream(stream: ByteStream): Promise<void> {
  try {
    const writer = Bun.stdout.writer();
    for await (const chunk of stream) {
      // Both may fail: a disk that is full must not go unnoticed.
      await writer.write(chunk);
      await writer.flush();
    }
    await writer.end();
  } catch (error) {
    // A reader that has seen enough, such as `head`, closes the pipe.
    if (Object(error).code === "EPIPE") return;
    throw cannotSave("to standard output", error);
  }
}
