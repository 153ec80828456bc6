// The actions that have a key: one table for the toolbars, the rail, the keys and the help.

import { NO_FILTER } from "../api/index.ts";
import { deleteWithUndo, markRead, star } from "../state/changes.ts";
import { type DialogName, isNarrow, openDialog } from "../state/layout.ts";
import { cursor, ids, isListed, neighbour, selected } from "../state/list.ts";
import { mailOf } from "../state/mails.ts";
import { chooseTabOfOpened, isGone } from "../state/opened.ts";
import { changeFilter, closeMail, navigate, openedId, route } from "../state/route.ts";
import { clearSelection, isSelecting, selectAllListed, toggleSelected } from "../state/selection.ts";
import { inboxes, mayAdminister, mayWrite, service } from "../state/service.ts";
import { previewScheme, previewWidth, showsDetails } from "../state/settings.ts";
import { toasts } from "../state/toasts.ts";
import type { IconName } from "../ui/index.ts";
import { focusList, focusMessage, focusSearch, scrollMessage } from "./focus.ts";

export interface Action {
  readonly keys: readonly string[];
  readonly does: string;
  /** `on`: the ids of the mails to act on. `key`: the key that was pressed. */
  readonly run: (on: readonly string[], key?: string) => void;
  readonly icon?: IconName | ((on: readonly string[]) => IconName);
  readonly label?: (on: readonly string[]) => string;
  readonly needsMail?: true;
  readonly isOffered?: () => boolean;
  readonly isRepeated?: true;
}

const hasUnread = (on: readonly string[]) => on.some((id) => mailOf(id)?.value.is_read === false);
const hasUnstarred = (on: readonly string[]) => on.some((id) => mailOf(id)?.value.is_starred === false);

const opening = (dialog: DialogName, key: string, does: string, icon: IconName): Action => ({
  keys: [key],
  does,
  run: () => openDialog(dialog),
  icon,
});

const CHANGES_MAIL = { needsMail: true, isOffered: mayWrite } as const;
/** A held key repeats these actions. All others run once: a held Delete key deletes only once. */
const REPEATED = { isRepeated: true } as const;

/** The names of the groups are headings in the help. */
export const ACTION_GROUPS = {
  Moving: {
    next: { ...REPEATED, keys: ["j", "ArrowDown"], does: "Next mail", run: () => move(1), icon: "down" },
    previous: { ...REPEATED, keys: ["k", "ArrowUp"], does: "Previous mail", run: () => move(-1), icon: "up" },
    open: { keys: ["Enter", "o"], does: "Open the mail", run: openListed },
    scroll: { ...REPEATED, keys: ["Space", "PageDown"], does: "Scroll down", run: () => scrollMessage(1) },
    scrollUp: {
      ...REPEATED,
      keys: ["Shift+Space", "PageUp"],
      does: "Scroll up",
      run: () => scrollMessage(-1),
    },
    back: {
      keys: ["Escape"],
      does: "Go back one step",
      run: back,
      icon: "back",
      label: () => "Back to the list",
    },
    inbox: { keys: ["g"], does: "Show all mail", run: goToInbox },
  },
  Mail: {
    read: {
      keys: ["u"],
      does: "Mark as read or unread",
      run: (on) => void markRead(on, hasUnread(on)),
      icon: (on) => (hasUnread(on) ? "read" : "unread"),
      label: (on) => (hasUnread(on) ? "Mark as read" : "Mark as unread"),
      ...CHANGES_MAIL,
    },
    star: {
      keys: ["s"],
      does: "Add or remove the star",
      run: (on) => void star(on, hasUnstarred(on)),
      icon: "star",
      label: (on) => (hasUnstarred(on) ? "Star" : "Remove star"),
      ...CHANGES_MAIL,
    },
    tag: { ...CHANGES_MAIL, keys: ["t"], does: "Tag", run: (on) => openDialog("tag", on), icon: "tag" },
    delete: { ...CHANGES_MAIL, keys: ["#", "Delete"], does: "Delete", run: deleteWithUndo, icon: "trash" },
    undo: { keys: ["z", "Ctrl+z"], does: "Undo the last deletion", run: undoLast },
    release: {
      keys: ["r"],
      does: "Release to a real server",
      run: ([id]) => id && openDialog("release", [id]),
      icon: "send",
      label: () => "Release",
      needsMail: true,
      isOffered: () => mayWrite() && service.value?.release_enabled !== false,
    },
    tabs: {
      keys: ["1", "2", "3", "4", "5", "6", "7", "8"],
      does: "Show a tab of the mail",
      run: (_on, key) => chooseTabOfOpened(Number(key) - 1),
    },
    width: { keys: ["w"], does: "Next preview width", run: nextWidth },
    dark: { keys: ["d"], does: "Light or dark preview", run: toggleDark },
    details: { keys: ["i"], does: "Show or hide details", run: toggleDetails },
  },
  Selecting: {
    select: { keys: ["x"], does: "Select", run: selectCursor },
    compare: {
      keys: ["c"],
      does: "Compare two selected mails",
      run: (on) => on.length === 2 && openDialog("compare", on),
      icon: "columns",
      label: () => "Compare",
    },
    selectAll: { keys: ["Ctrl+a"], does: "Select all loaded", run: selectAllListed, icon: "all" },
  },
  Page: {
    search: { keys: ["/"], does: "Search", run: focusSearch },
    faults: opening("faults", "f", "Faults on purpose", "bolt"),
    rejections: opening("rejections", "e", "Refused mail", "warning"),
    inboxes: {
      ...opening("inboxes", "b", "Inboxes", "inbox"),
      isOffered: () => inboxes.value.length > (mayAdminister() ? 0 : 1),
    },
    tokens: { ...opening("tokens", "y", "Tokens", "key"), isOffered: mayAdminister },
    help: {
      ...opening("shortcuts", "?", "Show these keys", "keyboard"),
      label: () => "Keyboard shortcuts",
    },
    settings: opening("settings", ",", "Settings", "settings"),
  },
} satisfies Record<string, Record<string, Action>>;

const { Moving, Mail, Selecting, Page } = ACTION_GROUPS;
export const ACTIONS = { ...Moving, ...Mail, ...Selecting, ...Page } satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

export const isOffered = ({ isOffered }: Action): boolean => isOffered === undefined || isOffered();

export function targets(): string[] {
  if (selected.peek().size > 0) return [...selected.peek()];
  const opened = openedId.peek();
  if (opened) return isGone(opened) ? [] : [opened];
  return listedCursor();
}

function listedCursor(): string[] {
  const id = cursor.peek();
  return id && isListed.peek() && ids.peek().includes(id) ? [id] : [];
}

/** Does nothing in a list that is about to be replaced, because the filter has changed. */
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
  else if (openedId.peek()) closeMail();
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
  const undoable = toasts.peek().findLast(({ action }) => action);
  undoable?.action?.run();
}

export const PREVIEW_WIDTHS = { phone: 375, tablet: 768, full: 0 } as const;

function nextWidth(): void {
  const widths: number[] = Object.values(PREVIEW_WIDTHS);
  previewWidth.value = widths[(widths.indexOf(previewWidth.peek()) + 1) % widths.length] ?? 0;
}

function toggleDetails(): void {
  showsDetails.value = !showsDetails.peek();
}

function toggleDark(): void {
  previewScheme.value = previewScheme.peek() === "dark" ? "light" : "dark";
}

export const iconOf = ({ icon = "info" }: Action, on: readonly string[] = []): IconName =>
  typeof icon === "string" ? icon : icon(on);
