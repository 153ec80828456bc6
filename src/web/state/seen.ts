// The senders and recipients of the newest mail, with counts. A filtered list does not change them.
import { effect, signal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { listMessages, NO_FILTER } from "../api/index.ts";
import { ids, isListed } from "./list.ts";
import { mailOf } from "./mails.ts";
import { isFiltered } from "./route.ts";

/** Only the newest mails are counted, because every new mail repeats the count. */
const NEWEST_ROWS = 200;

export const senders = signal<ReadonlyMap<string, number>>(new Map());
export const recipients = signal<ReadonlyMap<string, number>>(new Map());
export const seenRows = signal(0);

effect(() => {
  const newest = ids.value.slice(0, NEWEST_ROWS);
  if (!isListed.value) return;
  if (!isFiltered.value) count(newest.flatMap((id) => (id && mailOf(id)?.peek()) || []));
  else if (seenRows.peek() === 0) void fetchNewest();
});

/** Needed if the page was opened with a filter: then the list is not the newest mail. */
async function fetchNewest(): Promise<void> {
  const page = await listMessages(NO_FILTER, 0, NEWEST_ROWS).catch(() => undefined);
  if (page) count(page.messages);
}

function count(mails: readonly MessageSummary[]): void {
  seenRows.value = mails.length;
  senders.value = counted(mails.map(({ preview, sender }) => preview?.from_address || sender));
  recipients.value = counted(mails.flatMap((mail) => mail.recipients));
}

function counted(addresses: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const address of addresses) counts.set(address, (counts.get(address) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
