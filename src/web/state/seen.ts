// The senders and recipients of the newest mail, with counts. A filtered list does not change them.
import { effect, signal } from "@preact/signals";
import { ids, isListed } from "./list.ts";
import { mailOf } from "./mails.ts";
import { isFiltered } from "./route.ts";

/** Enough to know people, few enough to count at every new mail. */
const NEWEST_ROWS = 200;

export interface Seen {
  readonly address: string;
  readonly count: number;
}

export const senders = signal<readonly Seen[]>([]);
export const recipients = signal<readonly Seen[]>([]);
export const seenRows = signal(0);

effect(() => {
  const newest = ids.value.slice(0, NEWEST_ROWS);
  if (!isListed.value || (isFiltered.value && recipients.peek().length > 0)) return;
  const mails = newest.flatMap((id) => (id && mailOf(id)?.peek()) || []);
  seenRows.value = mails.length;
  senders.value = counted(mails.map(({ preview, sender }) => preview?.from_address || sender));
  recipients.value = counted(mails.flatMap((mail) => mail.recipients));
});

function counted(addresses: readonly string[]): Seen[] {
  const counts = new Map<string, number>();
  for (const address of addresses) counts.set(address, (counts.get(address) ?? 0) + 1);
  return [...counts].map(([address, count]) => ({ address, count })).sort((a, b) => b.count - a.count);
}
