// Every key the page understands: one table for the listener and for the overview.
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
  selectAllListed,
  selected,
  selectTo,
  toggleSelected,
} from "../state/selection.ts";
import { canRelease } from "../state/service.ts";
import { toasts } from "../state/toasts.ts";
import { ids, neighbour } from "../state/view.ts";
import { focusList, focusMessage, focusSearch } from "./focus.ts";
import { runInTurn } from "./keys-in-turn.ts";
import { scrollMessage } from "./scroll-message.ts";

export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
  readonly group: "Moving" | "Message" | "Selecting" | "Page";
  readonly run: () => void;
  /** Absent: always. */
  readonly isOffered?: () => boolean;
  /**
   * Waits for the list that was asked for, or for the mail that was chosen; or takes the place of what waits, or takes
   * that back and does nothing else.
   */
  readonly turn?: "listed" | "chosen" | "instead" | "back";
  /** Leads to the mail beside, and waits for it, too. */
  readonly towards?: 1 | -1;
  /** Goes on while the key is held; what changes or deletes mail does so once. */
  readonly isRepeated?: true;
}

const NEXT: Shortcut = {
  keys: ["j", "ArrowDown"],
  does: "Next message",
  group: "Moving",
  run: () => move(1),
  turn: "listed",
  towards: 1,
  isRepeated: true,
};

const PREVIOUS: Shortcut = {
  keys: ["k", "ArrowUp"],
  does: "Previous message",
  group: "Moving",
  run: () => move(-1),
  turn: "listed",
  towards: -1,
  isRepeated: true,
};

export const SHORTCUTS: readonly Shortcut[] = [
  NEXT,
  PREVIOUS,
  { keys: ["Enter", "o"], does: "Open message", group: "Moving", run: open, turn: "listed" },
  {
    keys: ["Space", "PageDown"],
    does: "Scroll the message",
    group: "Moving",
    run: () => scrollMessage(1),
    isRepeated: true,
  },
  {
    keys: ["Shift+Space", "PageUp"],
    does: "Scroll the message back",
    group: "Moving",
    run: () => scrollMessage(-1),
    isRepeated: true,
  },
  { keys: ["Escape"], does: "Back, one step at a time", group: "Moving", run: back, turn: "back" },
  { keys: ["g i"], does: "Go to the inbox", group: "Moving", run: goToInbox, turn: "instead" },
  { keys: ["u"], does: "Mark as unread or read", group: "Message", run: toggleRead, turn: "chosen" },
  { keys: ["s"], does: "Star or unstar", group: "Message", run: toggleStar, turn: "chosen" },
  { keys: ["t"], does: "Tag", group: "Message", run: () => onTarget(() => show("tag")), turn: "chosen" },
  { keys: ["#", "Delete"], does: "Delete", group: "Message", run: remove, turn: "chosen", towards: 1 },
  { keys: ["z", "Ctrl+z"], does: "Undo deleting", group: "Message", run: undoLast },
  {
    keys: ["r"],
    does: "Release to a real server",
    group: "Message",
    run: release,
    isOffered: canRelease,
  },
  { keys: ["x"], does: "Select", group: "Selecting", run: select, turn: "listed" },
  {
    keys: ["Shift+ArrowDown"],
    does: "Extend selection down",
    group: "Selecting",
    run: () => extend(1),
    turn: "listed",
    towards: 1,
    isRepeated: true,
  },
  {
    keys: ["Shift+ArrowUp"],
    does: "Extend selection up",
    group: "Selecting",
    run: () => extend(-1),
    turn: "listed",
    towards: -1,
    isRepeated: true,
  },
  { keys: ["Ctrl+a"], does: "Select all loaded", group: "Selecting", run: selectAllListed, turn: "listed" },
  { keys: ["/"], does: "Search", group: "Page", run: focusSearch, turn: "instead" },
  { keys: ["?"], does: "Show these keys", group: "Page", run: () => show("shortcuts"), turn: "instead" },
  { keys: [","], does: "Settings", group: "Page", run: () => show("settings"), turn: "instead" },
];

/** Those that do something on this server. */
export const offeredShortcuts = (): Shortcut[] =>
  SHORTCUTS.filter(({ isOffered }) => isOffered === undefined || isOffered());

function show(name: NonNullable<typeof openDialog.value>): void {
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

/** What the buttons beside a message do: as the keys, from this one on. */
export function stepFrom(id: string, by: 1 | -1): void {
  cursor.value = id;
  runInTurn(by === 1 ? NEXT : PREVIOUS);
}

function release(): void {
  const id = openedId.peek();
  if (id && !vanished.peek().has(id)) show("release");
}

function onTarget(act: (chosen: string[]) => void): void {
  const chosen = targets();
  if (chosen.length > 0) act(chosen);
}

function move(step: 1 | -1): void {
  const from = cursor.peek() ?? openedId.peek();
  const next = neighbour(from, from === undefined ? 0 : step);
  if (next === undefined) return;
  cursor.value = next;
  if (isNarrow.peek() && !openedId.peek()) focusList();
  else navigate({ id: next, tab: undefined }, openedId.peek() ? "replace" : "push");
}

/** The one the keyboard is on, whatever else is ticked. */
function select(): void {
  const [id] = listedCursor();
  if (id) toggleSelected(id);
}

function extend(step: 1 | -1): void {
  const from = cursor.peek() ?? openedId.peek();
  if (from && ids.peek().includes(from) && selected.peek().size === 0) toggleSelected(from);
  const next = neighbour(from, from === undefined ? 0 : step);
  if (next) void selectTo(next);
}

function open(): void {
  const id = listedCursor()[0] ?? openedId.peek() ?? neighbour(undefined, 0);
  if (!id) return;
  cursor.value = id;
  if (openedId.peek() !== id) navigate({ id, tab: undefined });
  focusMessage();
}

function back(): void {
  if (isSelecting.peek()) clearSelection();
  else if (openedId.peek()) navigate({ id: undefined, tab: undefined });
  else if (route.peek().filter.q !== "") changeFilter({ q: "" });
  focusList();
}

function goToInbox(): void {
  navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
  focusList();
}

function toggleRead(): void {
  onTarget(
    (chosen) =>
      void markRead(
        chosen,
        chosen.some((id) => rowOf(id)?.peek().is_read === false),
      ),
  );
}

function toggleStar(): void {
  onTarget(
    (chosen) =>
      void star(
        chosen,
        chosen.some((id) => rowOf(id)?.peek().is_starred === false),
      ),
  );
}

function undoLast(): void {
  toasts
    .peek()
    .findLast(({ action }) => action)
    ?.action?.run();
}

function remove(): void {
  onTarget(deleteWithUndo);
}
