// Everything a person can do: one table for the toolbars, the menus, the keys and the help.

import { NO_FILTER } from "../api/address.ts";
import { deleteWithUndo, markRead, star } from "../state/changes.ts";
import { isNarrow, openDialog } from "../state/layout.ts";
import { cursor, ids, isListed, neighbour, selected } from "../state/list.ts";
import { mailOf } from "../state/mails.ts";
import { chooseTabOfOpened, isGone } from "../state/opened.ts";
import { changeFilter, navigate, openedId, route } from "../state/route.ts";
import { clearSelection, isSelecting, selectAllListed, toggleSelected } from "../state/selection.ts";
import { canRelease } from "../state/service.ts";
import { previewScheme, previewWidth, showsDetails } from "../state/settings.ts";
import { toasts } from "../state/toasts.ts";
import type { IconName } from "../ui/icon.tsx";
import { focusList, focusMessage, focusSearch } from "./focus.ts";
import { scrollMessage } from "./scroll-message.ts";

type Group = "Moving" | "Message" | "Selecting" | "Page";

export interface Action {
  readonly group: Group;
  readonly keys: readonly string[];
  readonly does: string;
  /** `on`: the mails that it acts on, if it acts on any. `key`: the key that was pressed. */
  readonly run: (on: readonly string[], key?: string) => void;
  readonly icon?: (on: readonly string[]) => IconName;
  /** As a button says it, where that depends on the mails. */
  readonly label?: (on: readonly string[]) => string;
  readonly needsMail?: true;
  /** Absent: always. */
  readonly isOffered?: () => boolean;
  /** It goes on while the key is held; an action that changes or deletes mail happens once. */
  readonly isRepeated?: true;
}

const hasUnread = (on: readonly string[]) => on.some((id) => mailOf(id)?.value.is_read === false);
const hasUnstarred = (on: readonly string[]) => on.some((id) => mailOf(id)?.value.is_starred === false);

export const ACTIONS = {
  next: {
    group: "Moving",
    keys: ["j", "ArrowDown"],
    does: "Next message",
    run: () => move(1),
    icon: () => "down",
    isRepeated: true,
  },
  previous: {
    group: "Moving",
    keys: ["k", "ArrowUp"],
    does: "Previous message",
    run: () => move(-1),
    icon: () => "up",
    isRepeated: true,
  },
  open: { group: "Moving", keys: ["Enter", "o"], does: "Open message", run: openListed },
  scroll: {
    group: "Moving",
    keys: ["Space", "PageDown"],
    does: "Scroll the message",
    run: () => scrollMessage(1),
    isRepeated: true,
  },
  scrollBack: {
    group: "Moving",
    keys: ["Shift+Space", "PageUp"],
    does: "Scroll the message back",
    run: () => scrollMessage(-1),
    isRepeated: true,
  },
  back: {
    group: "Moving",
    keys: ["Escape"],
    does: "Back, one step at a time",
    run: back,
    icon: () => "back",
    label: () => "Back to the list",
  },
  inbox: { group: "Moving", keys: ["g"], does: "Go to the inbox", run: goToInbox },
  read: {
    group: "Message",
    keys: ["u"],
    does: "Mark as unread or read",
    run: (on) => void markRead(on, hasUnread(on)),
    icon: (on) => (hasUnread(on) ? "read" : "unread"),
    label: (on) => (hasUnread(on) ? "Mark as read" : "Mark as unread"),
    needsMail: true,
  },
  star: {
    group: "Message",
    keys: ["s"],
    does: "Star or unstar",
    run: (on) => void star(on, hasUnstarred(on)),
    icon: () => "star",
    label: (on) => (hasUnstarred(on) ? "Star" : "Remove star"),
    needsMail: true,
  },
  tag: {
    group: "Message",
    keys: ["t"],
    does: "Tag",
    run: (on) => openDialog("tag", on),
    icon: () => "tag",
    needsMail: true,
  },
  delete: {
    group: "Message",
    keys: ["#", "Delete"],
    does: "Delete",
    run: deleteWithUndo,
    icon: () => "trash",
    needsMail: true,
  },
  undo: { group: "Message", keys: ["z", "Ctrl+z"], does: "Undo deleting", run: undoLast },
  release: {
    group: "Message",
    keys: ["r"],
    does: "Release to a real server",
    run: ([id]) => id && openDialog("release", [id]),
    icon: () => "send",
    label: () => "Release",
    needsMail: true,
    isOffered: canRelease,
  },
  tabs: {
    group: "Message",
    keys: ["1", "2", "3", "4", "5", "6", "7", "8"],
    does: "Show a tab of the message",
    run: (_on, key) => chooseTabOfOpened(Number(key) - 1),
  },
  width: { group: "Message", keys: ["w"], does: "Next preview width", run: nextWidth },
  dark: { group: "Message", keys: ["d"], does: "Dark or light preview", run: toggleDark },
  details: {
    group: "Message",
    keys: ["i"],
    does: "Show or hide details",
    run: () => {
      showsDetails.value = !showsDetails.peek();
    },
  },
  select: { group: "Selecting", keys: ["x"], does: "Select", run: selectCursor },
  compare: {
    group: "Selecting",
    keys: ["c"],
    does: "Compare two selected messages",
    run: (on) => on.length === 2 && openDialog("compare", on),
    icon: () => "columns",
    label: () => "Compare",
  },
  selectAll: { group: "Selecting", keys: ["Ctrl+a"], does: "Select all loaded", run: selectAllListed },
  search: { group: "Page", keys: ["/"], does: "Search", run: focusSearch },
  faults: {
    group: "Page",
    keys: ["f"],
    does: "Faults on purpose",
    run: () => openDialog("faults"),
    icon: () => "bolt",
  },
  rejections: {
    group: "Page",
    keys: ["e"],
    does: "Refused mail",
    run: () => openDialog("rejections"),
    icon: () => "warning",
  },
  help: {
    group: "Page",
    keys: ["?"],
    does: "Show these keys",
    run: () => openDialog("shortcuts"),
    icon: () => "keyboard",
    label: () => "Keyboard shortcuts",
  },
  settings: {
    group: "Page",
    keys: [","],
    does: "Settings",
    run: () => openDialog("settings"),
    icon: () => "settings",
  },
} satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

/** Those that do something on this server. */
export const offeredActions = (): Action[] =>
  Object.values<Action>(ACTIONS).filter(({ isOffered }) => isOffered === undefined || isOffered());

/** The ticked mails, or the opened one, or the one that the keyboard is on. */
export function targets(): string[] {
  if (selected.peek().size > 0) return [...selected.peek()];
  const opened = openedId.peek();
  if (opened) return isGone(opened) ? [] : [opened];
  return listedCursor();
}

/** In a list without it, nobody sees which mail the keyboard is on. */
function listedCursor(): string[] {
  const id = cursor.peek();
  return id && isListed.peek() && ids.peek().includes(id) ? [id] : [];
}

/** Nothing moves in a list that is about to be another. */
function move(step: 1 | -1): void {
  if (!isListed.peek()) return;
  const from = cursor.peek() ?? openedId.peek();
  const next = neighbour(from, from === undefined ? 0 : step);
  if (next === undefined) return;
  cursor.value = next;
  if (isNarrow.peek() && !openedId.peek()) focusList();
  else navigate({ id: next, tab: undefined }, openedId.peek() ? "replace" : "push");
}

function openListed(): void {
  const id = listedCursor()[0] ?? openedId.peek() ?? (isListed.peek() ? neighbour(undefined, 0) : undefined);
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

function selectCursor(): void {
  const [id] = listedCursor();
  if (id) toggleSelected(id);
}

function undoLast(): void {
  toasts
    .peek()
    .findLast(({ action }) => action)
    ?.action?.run();
}

export const PREVIEW_WIDTHS = { phone: 375, tablet: 768, full: 0 } as const;

function nextWidth(): void {
  const widths: number[] = Object.values(PREVIEW_WIDTHS);
  previewWidth.value = widths[(widths.indexOf(previewWidth.peek()) + 1) % widths.length] ?? 0;
}

function toggleDark(): void {
  previewScheme.value = previewScheme.peek() === "dark" ? "light" : "dark";
}
