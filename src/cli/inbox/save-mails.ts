// Writes mails to disk: one file for all of them, or one file each.
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Inbox, MessageSummary } from "../../client/index.ts";

/** The file appears under its name only when it is whole. */
export async function saveStream(stream: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const unfinished = `${path}.part`;
  const writer = Bun.file(unfinished).writer();
  try {
    for await (const chunk of stream) {
      writer.write(chunk);
      await writer.flush();
    }
    await writer.end();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** One `<id>.eml` for each mail, its bytes as they were sent. */
export async function saveMails(
  inbox: Inbox,
  mails: readonly MessageSummary[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { id } of mails) await Bun.write(join(folder, `${id}.eml`), await inbox.raw(id));
}
