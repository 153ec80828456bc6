// Fetches the mails that a selection spans and the list does not know yet.
import { type ListFilter, listMessages } from "../api/messages.ts";
import { fillGap, firstGap, type Gap } from "./id-list.ts";
import { isPendingDelete } from "./pending-deletes.ts";
import { route } from "./route.ts";
import { putRow } from "./rows.ts";
import { ids } from "./view.ts";

const PAGE = 200;

/** Afterwards the list has no holes between these two; `onFound` hears how many more are known. */
export async function fillGaps(
  newer: string,
  older: string,
  signal: AbortSignal,
  onFound: (count: number) => void,
): Promise<void> {
  const { filter } = route.peek();
  for (;;) {
    const list = ids.peek();
    if (!list.includes(newer) || !list.includes(older)) throw new Error("The list has changed meanwhile.");
    const gap = firstGap(list, newer, older);
    if (!gap) return;
    const found = await idsWithin(filter, gap, signal, onFound);
    ids.value = fillGap(ids.peek(), gap, found);
  }
}

async function idsWithin(
  filter: ListFilter,
  { after, until }: Gap,
  signal: AbortSignal,
  onFound: (count: number) => void,
): Promise<string[]> {
  const found: string[] = [];
  for (let before = after; ; ) {
    const askedAt = performance.now();
    const { messages, next_cursor } = await listMessages(filter, { before }, PAGE, signal);
    const within = messages.filter(({ id }) => id > until);
    for (const summary of within) putRow(summary, askedAt);
    found.push(...within.map(({ id }) => id).filter((id) => !isPendingDelete(id)));
    onFound(within.length);
    if (next_cursor === null || within.length < messages.length) return found;
    before = next_cursor;
  }
}
