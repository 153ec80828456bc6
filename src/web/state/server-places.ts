// Where the server has the mails that the page lists. It counts what only waits for its delete here, and no longer
// counts what stays listed until one moves on.
import { fitOf } from "./filter-fit.ts";
import type { IdList } from "./id-list.ts";
import { lingering } from "./lingering.ts";
import type { Page } from "./pages.ts";
import { undoableIds } from "./pending-deletes.ts";
import { route } from "./route.ts";
import { rowOf } from "./rows.ts";

/** What is listed although it no longer fits. */
export function listedStill(list: IdList): string[] {
  const listed = new Set(list);
  const { flagsFit } = fitOf(route.peek().filter);
  return [...lingering].filter((id) => listed.has(id) && flagsFit(rowOf(id)?.peek() ?? {}) === false);
}

/** How many the server has in such a list. */
export const countAtServer = (list: IdList): number => list.length + countMoreAbove(list, "");

/** Where the server has this place, or what stands above it: as if all that waits in a gap stood at its beginning. */
export function offsetOf(list: IdList, place: number): number {
  const next = list.find((id, index) => index >= place && id !== undefined);
  return place === 0 ? 0 : Math.max(0, place + countMoreAbove(list, next ?? ""));
}

/** The place of a page that the server has at this offset. */
export function placeAt(list: IdList, offset: number, { messages }: Page, shown: readonly string[]): number {
  const [first = ""] = shown;
  const skipped = messages.findIndex(({ id }) => id === first);
  return offset + Math.max(0, skipped) - countMoreAbove(list, first);
}

function countMoreAbove(list: IdList, id: string): number {
  const { flagsFit, hasText } = fitOf(route.peek().filter);
  const countAbove = (some: readonly string[]) => some.filter((other) => other > id).length;
  const hidden = hasText ? [] : [...undoableIds()].filter((other) => flagsFit(rowOf(other)?.peek() ?? {}));
  return countAbove(hidden) - countAbove(listedStill(list));
}
