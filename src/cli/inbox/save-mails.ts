// Writes mails to disk: one file for all of them, or one file each.
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Inbox, MailkeepError, type MessageSummary } from "../../client/index.ts";
import { StartError } from "../command.ts";

/** What the client has to say stays as it is; everything else is about the disk or a cut connection. */
function cannotSave(path: string, error: unknown): Error {
  if (error instanceof MailkeepError) return error;
  return new StartError(`cannot save ${path}: ${(error as Error).message}`, { cause: error });
}

/** The file appears under its name only when it is whole. */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const unfinished = `${path}.part`;
  try {
    await writeStream(stream, Bun.file(unfinished).writer());
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw cannotSave(path, error);
  }
}

/** Reads on only when what was read is written. */
async function writeStream(stream: AsyncIterable<Uint8Array>, writer: Bun.FileSink): Promise<void> {
  for await (const chunk of stream) {
    // Both may fail: a disk that is full must not go unnoticed.
    await writer.write(chunk);
    await writer.flush();
  }
  await writer.end();
}

export async function printStream(stream: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await writeStream(stream, Bun.stdout.writer());
  } catch (error) {
    // A reader that has seen enough, such as `head`, closes the pipe.
    if (Object(error).code === "EPIPE") return;
    throw cannotSave("to standard output", error);
  }
}

const NOT_FOUND = 404;

/** Null when it was deleted meanwhile. */
async function rawOf(inbox: Inbox, id: string): Promise<Uint8Array | null> {
  try {
    return await inbox.raw(id);
  } catch (error) {
    if (error instanceof MailkeepError && error.status === NOT_FOUND) return null;
    throw error;
  }
}

/** One `<id>.eml` for each mail that is still there, its bytes as they were sent. Answers with their number. */
export async function saveMails(
  inbox: Inbox,
  mails: readonly MessageSummary[],
  folder: string,
): Promise<number> {
  let saved = 0;
  try {
    await mkdir(folder, { recursive: true });
    for (const { id } of mails) {
      const raw = await rawOf(inbox, id);
      if (raw === null) continue;
      await Bun.write(join(folder, `${id}.eml`), raw);
      saved++;
    }
    return saved;
  } catch (error) {
    throw cannotSave(folder, error);
  }
}
