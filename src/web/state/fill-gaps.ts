// Fetches the mails that a selection spans and the list does not know yet.
import type { ListFilter } from "../api/messages.ts";
import { heardSince, whileHearing } from "./heard.ts";
import { fillGap, firstGap, type Gap } from "./id-list.ts";
import { askForPage, take } from "./pages.ts";
import { route } from "./route.ts";
import { ids } from "./view.ts";

const GAP_PAGE = 200;

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
    const found = await whileHearing(async (askedAt) => {
      const within = await idsWithin(filter, gap, signal, onFound);
      const { gone } = heardSince(askedAt);
      return within.filter((id) => !gone.has(id));
    });
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
    const page = await askForPage(filter, { before }, signal, GAP_PAGE);
    const within = page.messages.filter(({ id }) => id > until);
    found.push(...take({ ...page, messages: within }));
    onFound(within.length);
    if (page.next_cursor === null || within.length < page.messages.length) return found;
    before = page.next_cursor;
  }
}
