// The whole mailbox, or what matches, as one file: written as it is read, oldest first.
// Mails that are deleted during the export are left out.
import { nextTurn } from "../../lib/next-turn.ts";
import type { MessageFilter, MessageSummary } from "../../model/index.ts";
import { isGone, type MailView, type RawMessage } from "../../store/index.ts";
import { mboxEntry } from "./mbox.ts";
import { type IsGone, unlessGone } from "./unless-gone.ts";
import { type ZipEntry, zip } from "./zip.ts";

const PAGE = 500;

export async function* exportMbox(store: MailView, filter: MessageFilter): AsyncGenerator<Uint8Array> {
  for await (const { summary, raw } of stored(store, filter))
    yield* unlessGone(goneFrom(store, summary.id), mboxEntry(summary, raw));
}

export const exportZip = (store: MailView, filter: MessageFilter): AsyncGenerator<Uint8Array> =>
  zip(zipEntries(store, filter));

async function* zipEntries(store: MailView, filter: MessageFilter): AsyncGenerator<ZipEntry> {
  for await (const { summary, raw } of stored(store, filter)) {
    yield {
      name: `${summary.id}.eml`,
      time: new Date(summary.created_at),
      size: raw.size,
      bytes: () => raw.bytes(),
      stream: () => raw.stream(),
      isGone: goneFrom(store, summary.id),
    };
  }
}

async function* stored(
  store: MailView,
  filter: MessageFilter,
): AsyncGenerator<{ summary: MessageSummary; raw: RawMessage }> {
  let after: string | undefined;
  for (;;) {
    const ids = await store.walk(filter, { limit: PAGE, ...(after !== undefined && { after }) });
    if (ids.length === 0) return;
    for (const id of ids) {
      const [summary, raw] = await Promise.all([store.get(id), store.raw(id)]);
      if (summary && raw) yield { summary, raw };
      // Short mails, and mails in memory, come without a pause: let other work run.
      await nextTurn();
    }
    after = ids.at(-1);
  }
}

const goneFrom =
  (store: MailView, id: string): IsGone =>
  async (error) =>
    isGone(error) || (await store.get(id)) === null;
