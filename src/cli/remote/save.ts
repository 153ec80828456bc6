// Saves mails: one file for each, or a stream of all to a file or to standard output.
import { createWriteStream } from "node:fs";
import { chmod, mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Inbox, MailkeepError, type MessageSummary } from "../../client/index.ts";
import { systemReason } from "../../lib/system-error.ts";
import { StartError } from "../command/command.ts";

/** An error of the client stays as it is. Others are about the disk or a broken connection. */
function cannotSave(path: string, error: unknown): Error {
  if (error instanceof MailkeepError) return error;
  return new StartError(`cannot save ${path}: ${systemReason(error)}`, { cause: error });
}

const NOT_FOUND = 404;

export const saving = <Result>(path: string, work: () => Promise<Result>): Promise<Result> =>
  work().catch((error) => Promise.reject(cannotSave(path, error)));

/** `run` calls this before it starts anything, so that a wrong path fails early. */
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

type ByteStream = AsyncIterable<Uint8Array>;

/** Replaces a file when the new one is complete. Writes to a pipe directly. Returns the size. */
export const saveStream = (stream: ByteStream, path: string): Promise<number> =>
  saving(path, async () => {
    const existing = await stat(path).catch(() => null);
    const mode = (existing?.mode ?? 0o666) & 0o777;
    if (existing?.isFile() === false) return write(stream, path, mode);
    // If the path is a link, the linked file is replaced.
    const target = existing === null ? path : await realpath(path);
    const unfinished = join(dirname(target), `mailkeep-${crypto.randomUUID()}.part`);
    try {
      const bytes = await write(stream, unfinished, mode);
      if (existing !== null) await chmod(unfinished, mode);
      await rename(unfinished, target);
      return bytes;
    } catch (error) {
      // A failed removal must not hide the first error.
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  });

async function write(stream: ByteStream, path: string, mode: number): Promise<number> {
  const file = createWriteStream(path, { mode });
  await pipeline(stream, file);
  return file.bytesWritten;
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
