// What the keys do to the list, the message and the page.
import { markRead, star } from "../state/actions.ts";
import { NO_FILTER } from "../state/address.ts";
import { deleteWithUndo } from "../state/delete.ts";
import { isNarrow, openDialog } from "../state/layout.ts";
import { vanished } from "../state/opened.ts";
import { changeFilter, navigate, openedId, route } from "../state/route.ts";
import { rowOf } from "../state/rows.ts";
import {
  clearSelection,
  cursor,
  gathering,
  isSelecting,
  selected,
  selectTo,
  toggleSelected,
} from "../state/selection.ts";
import { toasts } from "../state/toasts.ts";
import { ids, neighbour } from "../state/view.ts";
import { focusList, focusMessage } from "./focus.ts";

export function show(name: NonNullable<typeof openDialog.value>): void {
  openDialog.value = name;
}

/** The ticked mails, or the one the keyboard is on, if it exists. */
export function targets(): string[] {
  if (gathering.peek()) return [];
  if (selected.peek().size > 0) return [...selected.peek()];
  const opened = openedId.peek();
  if (opened) return vanished.peek().has(opened) ? [] : [opened];
  return listedCursor();
}

/** In another list than the one it was moved in, nobody sees which mail the keyboard is on. */
function listedCursor(): string[] {
  const id = cursor.peek();
  return id && ids.peek().includes(id) ? [id] : [];
}

export function release(): void {
  const id = openedId.peek();
  if (id && !vanished.peek().has(id)) show("release");
}

function onTarget(act: (chosen: string[]) => void): void {
  const chosen = targets();
  if (chosen.length > 0) act(chosen);
}

export function move(step: 1 | -1): void {
  const from = cursor.peek() ?? openedId.peek();
  const next = neighbour(from, from === undefined ? 0 : step);
  if (next === undefined) return;
  cursor.value = next;
  if (isNarrow.peek() && !openedId.peek()) focusList();
  else navigate({ id: next, tab: undefined }, openedId.peek() ? "replace" : "push");
}

/** The one the keyboard is on, whatever else is ticked. */
export function select(): void {
  const [id] = listedCursor();
  if (id) toggleSelected(id);
}

export function extend(step: 1 | -1): void {
  const from = cursor.peek() ?? openedId.peek();
  if (from && ids.peek().includes(from) && selected.peek().size === 0) toggleSelected(from);
  const next = neighbour(from, from === undefined ? 0 : step);
  if (next) void selectTo(next);
}

export function open(): void {
  const id = listedCursor()[0] ?? openedId.peek() ?? neighbour(undefined, 0);
  if (!id) return;
  cursor.value = id;
  if (openedId.peek() !== id) navigate({ id, tab: undefined });
  focusMessage();
}

export function back(): void {
  if (isSelecting.peek()) clearSelection();
  else if (openedId.peek()) navigate({ id: undefined, tab: undefined });
  else if (route.peek().filter.q !== "") changeFilter({ q: "" });
  focusList();
}

export function goToInbox(): void {
  navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
  focusList();
}

export function toggleRead(): void {
  onTarget(
    (chosen) =>
      void markRead(
        chosen,
        chosen.some((id) => rowOf(id)?.peek().is_read === false),
      ),
  );
}

export function toggleStar(): void {
  onTarget(
    (chosen) =>
      void star(
        chosen,
        chosen.some((id) => rowOf(id)?.peek().is_starred === false),
      ),
  );
}

export function undoLast(): void {
  toasts
    .peek()
    .findLast(({ action }) => action)
    ?.action?.run();
}

export function tag(): void {
  onTarget(() => show("tag"));
}

export function remove(): void {
  onTarget(deleteWithUndo);
}
