// Saves mails: one file for each, or a stream of all to a file or to standard output.
import { rmSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Inbox, MailkeepError, type MessageSummary } from "../../client/index.ts";
import { systemReason } from "../../lib/system-error.ts";
import { StartError } from "../command/command.ts";
import { endSignals, exitCodeOf } from "../command/signals.ts";

/** An error of the client stays as it is. Any other error is about the disk or a broken connection. */
function cannotSave(path: string, error: unknown): Error {
  if (error instanceof MailkeepError) return error;
  return new StartError(`cannot save ${path}: ${systemReason(error)}`, { cause: error });
}

const NOT_FOUND = 404;

export const saving = <Result>(path: string, work: () => Promise<Result>): Promise<Result> =>
  work().catch((error) => Promise.reject(cannotSave(path, error)));

/** Fails early if mails cannot be saved there. */
export const makeFolder = (folder: string) => saving(folder, () => mkdir(folder, { recursive: true }));

/** Writes an .eml file for each mail that is still there. Returns the number of files. */
export async function saveMails(
  inbox: Inbox,
  mails: readonly MessageSummary[],
  folder: string,
  nameOf = ({ id }: MessageSummary) => id,
): Promise<number> {
  await makeFolder(folder);
  let saved = 0;
  for (const mail of mails) {
    try {
      await Bun.write(join(folder, `${nameOf(mail)}.eml`), await inbox.raw(mail.id));
      saved++;
    } catch (error) {
      const wasDeleted = error instanceof MailkeepError && error.status === NOT_FOUND;
      if (!wasDeleted) throw cannotSave(folder, error);
    }
  }
  return saved;
}

/** Until disposed of, calls `cleanUp` before a signal ends the process. */
function onInterruption(cleanUp: () => void): Disposable {
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    process.exit(exitCodeOf(signal));
  };
  const signals = endSignals();
  for (const signal of signals) process.on(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}

type ByteStream = AsyncIterable<Uint8Array>;

/** Replaces a file when the new content is complete. Writes to a pipe or device directly. Returns the size in bytes. */
export async function saveStream(stream: ByteStream, path: string): Promise<number> {
  try {
    const existing = await stat(path).catch((error) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    // If the path is a link, the linked file is replaced.
    if (existing?.isFile()) return await replaceFile(stream, await realpath(path), existing.mode);
    if (existing === null) return await replaceFile(stream, path);
    await using file = await open(path, "w");
    return await writeAll(stream, file);
  } catch (error) {
    throw cannotSave(path, error);
  }
}

const PERMISSIONS = 0o7777;
const NEW_FILE_MODE = 0o666;

/** The new file has the permissions of the previous file. */
async function replaceFile(stream: ByteStream, path: string, mode?: number): Promise<number> {
  const unfinished = join(dirname(path), `mailkeep-${crypto.randomUUID()}.part`);
  using _interruption = onInterruption(() => rmSync(unfinished, { force: true }));
  const file = await open(unfinished, "wx", (mode ?? NEW_FILE_MODE) & PERMISSIONS);
  try {
    const bytes = await writeAll(stream, file);
    // The umask may have removed permissions when the file was created.
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

export async function printStream(stream: ByteStream | Iterable<Uint8Array>): Promise<void> {
  try {
    const writer = Bun.stdout.writer();
    for await (const chunk of stream) {
      // Awaits both calls, because either may fail, and a full disk must be reported.
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
