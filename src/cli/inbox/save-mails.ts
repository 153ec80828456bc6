// Writes mails to disk, one file each.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Inbox, MailkeepError, type MessageSummary } from "../../client/index.ts";
import { cannotSave } from "./cannot-save.ts";

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

/** Says at once where mails cannot be saved. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw cannotSave(folder, error);
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
