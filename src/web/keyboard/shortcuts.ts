// Every key the page understands: one table for the listener and for the overview.
import { cursor, selectAllListed } from "../state/selection.ts";
import { canRelease } from "../state/service.ts";
import { focusSearch } from "./focus.ts";
import {
  back,
  extend,
  goToInbox,
  move,
  open,
  release,
  remove,
  select,
  show,
  tag,
  toggleRead,
  toggleStar,
  undoLast,
} from "./key-actions.ts";
import { runInTurn } from "./keys-in-turn.ts";
import { scrollMessage } from "./scroll-message.ts";
import type { Shortcut } from "./shortcut.ts";

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
  { keys: ["t"], does: "Tag", group: "Message", run: tag, turn: "chosen", opensField: true },
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

/** What the buttons beside a message do: as the keys, from this one on. */
export function stepFrom(id: string, by: 1 | -1): void {
  cursor.value = id;
  runInTurn(by === 1 ? NEXT : PREVIOUS);
}
