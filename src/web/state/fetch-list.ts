// A list as it is shown first, or again: as long as the whole result, with the mails that one looks at.
import { fitOf } from "./filter-fit.ts";
import { whileHearing } from "./heard.ts";
import { type IdList, listOfLength, placePage } from "./id-list.ts";
import { fetchPage, type Page, take } from "./pages.ts";
import { undoableIds } from "./pending-deletes.ts";
import { route } from "./route.ts";
import { rowOf } from "./rows.ts";

interface FetchedList {
  readonly list: IdList;
  /** What was heard since may be missing. */
  readonly askedAt: number;
  /** The list has changed between its pages, so their places are a guess. */
  readonly isGuessed: boolean;
}

/** The page that begins at `start`, and the list's beginning: what comes next is told from what stands there. */
export function fetchList(start: number, signal: AbortSignal): Promise<FetchedList> {
  return whileHearing(async () => {
    const sight = start > 0 ? await fetchPage({ offset: start }, signal) : undefined;
    const head = await fetchPage({ offset: 0 }, signal);
    const { askedAt } = sight ?? head;
    const isGuessed = sight !== undefined && sight.total !== head.total;
    const top = take(head);
    const middle = sight ? take(sight) : [];
    const hidden = hiddenMails(sight ? [head, sight] : [head], new Set([...top, ...middle]));
    const whole = listOfLength(Math.max(0, head.total - hidden.length));
    const list = placePage(whole, 0, top, head.next_cursor === null);
    const first = middle[0];
    if (!sight || first === undefined) return { list, askedAt, isGuessed };
    const skipped = sight.messages.findIndex(({ id }) => id === first);
    const place = start + skipped + head.total - sight.total - hidden.filter((id) => id > first).length;
    const isLast = sight.next_cursor === null;
    return { list: placePage(list, Math.max(0, place), middle, isLast), askedAt, isGuessed };
  });
}

/** What the server has counted and the page does not show: on these pages, and as far as can be told elsewhere. */
function hiddenMails(pages: readonly Page[], shown: ReadonlySet<string>): string[] {
  const onPages = pages
    .flatMap(({ messages }) => messages.map(({ id }) => id))
    .filter((id) => !shown.has(id));
  const { flagsFit, hasText } = fitOf(route.peek().filter);
  if (hasText) return [...new Set(onPages)];
  const isElsewhere = (id: string) =>
    pages.every(({ messages, next_cursor }, index) => {
      const isAbove = index > 0 && id > (messages[0]?.id ?? "");
      return isAbove || (next_cursor !== null && id < (messages.at(-1)?.id ?? ""));
    });
  const elsewhere = [...undoableIds()].filter(
    (id) => isElsewhere(id) && flagsFit(rowOf(id)?.peek() ?? {}) === true,
  );
  return [...new Set([...onPages, ...elsewhere])];
}
