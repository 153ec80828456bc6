// Follows scrolling and resizing, keeps mail in place when more arrives, scrolls to the cursor.
import { computed, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { ids, isId, showRows } from "../state/list.ts";
import { newestMail } from "../state/mails.ts";
import { filterKey } from "../state/route.ts";
import type { ListRows } from "./runs.ts";

const OVERSCAN_ROWS = 4;
/** Mails in this many rows below the page are fetched, too. */
const AHEAD_ROWS = 40;

interface Anchor {
  readonly id: string;
  readonly index: number;
  readonly hidden: number;
}

/** The last scroll position, kept because on a narrow page an open message replaces the list. */
let left: { readonly view: string; readonly top: number; readonly anchor: Anchor | undefined } | undefined;

/** The newest mail when the user scrolled away from the top; undefined at the top. */
const newestSeen = signal<string | undefined>(undefined);

/** How many mails have come since `newestSeen`, with + if there may be more; empty if none. */
export const newAbove = computed(() => {
  const since = newestSeen.value;
  if (since === undefined) return "";
  const count = ids.value.filter((key) => isId(key) && key > since).length;
  if (count === 0) return "";
  return typeof ids.value[count] === "number" ? `${count}+` : String(count);
});

export function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  { keys: list, headings }: ListRows,
  /** The top of each row, and the bottom of the last row. */
  tops: readonly number[],
  cursor: string | undefined,
) {
  const shown = useSignal({ first: 0, last: 30 });
  const anchor = useRef<Anchor | undefined>(undefined);

  const topOf = (index: number) => tops[index] ?? 0;
  const rowAt = (top: number) => tops.findLastIndex((start) => start <= top);
  const isAtTop = ({ scrollTop }: HTMLElement) => scrollTop < topOf(1) / 2;

  const look = () => {
    const element = scroller.current;
    if (!element) return;
    const top = element.scrollTop;
    const index = rowAt(top);
    const next = {
      first: Math.max(0, index - OVERSCAN_ROWS),
      last: Math.min(list.length, rowAt(top + element.clientHeight) + 1 + OVERSCAN_ROWS),
    };
    if (next.first !== shown.peek().first || next.last !== shown.peek().last) shown.value = next;
    const key = list[index];
    anchor.current =
      key === undefined || !isId(key) ? undefined : { id: key, index, hidden: top - topOf(index) };
    left = { view: filterKey.peek(), top, anchor: anchor.current };
    newestSeen.value = isAtTop(element) ? undefined : (newestSeen.peek() ?? newestMail.peek());
    showRows(list.slice(next.first, next.last + AHEAD_ROWS).filter((key) => !headings.has(key)));
  };

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [list, tops]);

  useLayoutEffect(() => {
    const kept = left?.view === filterKey.value ? left : undefined;
    if (!kept) newestSeen.value = undefined;
    scroller.current?.scrollTo({ top: kept?.top ?? 0 });
    // Keeps the same mail at the top, even if other mail has arrived in the meantime.
    anchor.current = kept?.anchor;
  }, [filterKey.value]);

  useLayoutEffect(() => {
    const element = scroller.current;
    const kept = anchor.current;
    if (element && kept && !isAtTop(element)) {
      const same = list.indexOf(kept.id);
      const index = same === -1 ? list.findIndex((key) => isId(key) && key < kept.id) : same;
      const isKnown = index === 0 || list[index] === kept.id || typeof list[index - 1] === "string";
      if (index !== -1 && index !== kept.index && isKnown) element.scrollTop = topOf(index) + kept.hidden;
    }
    look();
  }, [list, tops]);

  const revealed = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (revealed.current === cursor) return;
    const index = cursor === undefined ? -1 : list.indexOf(cursor);
    if (!element || index === -1) return;
    revealed.current = cursor;
    const top = element.scrollTop;
    const highest = topOf(index);
    const rowHeight = topOf(index + 1) - highest;
    const lowest = highest + rowHeight - element.clientHeight;
    if (top <= highest && top >= lowest) return;
    // Scrolls a near row just into view. Any other row goes to the middle, to show its neighbours.
    const isNear = top - highest <= rowHeight && lowest - top <= rowHeight;
    const edge = top > highest ? highest : lowest;
    element.scrollTop = isNear ? edge : (highest + lowest) / 2;
  }, [cursor, list]);

  return { shown: shown.value, onScroll: look };
}
