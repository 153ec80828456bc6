// The senders and recipients of the newest mails, with counts. With a filter, these mails are fetched separately.
import { effect, signal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { listMessages, NO_FILTER } from "../api/index.ts";
import { ids, isId, isListed } from "./list.ts";
import { mailOf, newestMail } from "./mails.ts";
import { soon } from "./requests.ts";
import { isFiltered } from "./route.ts";
import { totalCount } from "./service.ts";

/** Only the newest mails are counted, because every new mail repeats the count. */
const NEWEST_ROWS = 200;

export const senders = signal<ReadonlyMap<string, number>>(new Map());
export const recipients = signal<ReadonlyMap<string, number>>(new Map());
export const seenRows = signal(0);

const fetchSoon = soon(async () => {
  const page = await listMessages(NO_FILTER, 0, NEWEST_ROWS).catch(() => undefined);
  if (page && isFiltered.peek()) count(page.messages);
});

effect(() => {
  if (isFiltered.value) {
    newestMail.value;
    totalCount.value;
    fetchSoon();
  } else if (isListed.value) {
    count(ids.value.slice(0, NEWEST_ROWS).flatMap((key) => (isId(key) && mailOf(key)?.peek()) || []));
  }
});

function count(mails: readonly MessageSummary[]): void {
  seenRows.value = mails.length;
  senders.value = counted(mails.map(({ preview, sender }) => preview?.from_address || sender));
  recipients.value = counted(mails.flatMap((mail) => mail.recipients));
}

function counted(addresses: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const written of addresses) {
    const address = written.toLowerCase();
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
