// Listens for keys on the whole page and looks them up in the table. Fields and dialogs keep their keys.
import { isCovered } from "../state/layout.ts";
import { focusList } from "./focus.ts";
import { noteTyped, runInTurn, runOnceListed } from "./keys-in-turn.ts";
import { hasPages } from "./scroll-message.ts";
import { selectMessage } from "./select-message.ts";
import { offeredShortcuts } from "./shortcuts.ts";

const SEQUENCE_MS = 1000;

let prefix: { readonly key: string; readonly at: number } | undefined;

export function followKeys(): void {
  window.addEventListener("keydown", keepFromComposing, { capture: true });
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isCovered.peek() || isForBrowser(event)) return;
    if (isTyping(event.target)) return leaveField(event);
    if (isForMessage(event)) return selectMessage(event);
    if (ownsKey(event)) return;
    if (!event.ctrlKey && !event.metaKey && !event.repeat) noteTyped(event.key);
    const shortcut = lookUp(event);
    if (!shortcut) return;
    event.preventDefault();
    if (!event.repeat || shortcut.isRepeated) runInTurn(shortcut, event.repeat);
  });
  runOnceListed();
}

/** Enter, Escape and arrows that choose among an input method's candidates are meant for it alone. */
function keepFromComposing(event: KeyboardEvent): void {
  // Safari ends the composition before it tells of the key, and leaves only this code.
  const isProcessed = event.keyCode === 229;
  if (event.isComposing || isProcessed) event.stopPropagation();
}

/** Alt leads to menus and tabs, except where a sign cannot be typed without it: # is Option+3 on a British Mac. */
function isForBrowser({ key, altKey }: KeyboardEvent): boolean {
  return altKey && !/^[^\p{L}\p{N}\s]$/u.test(key);
}

function lookUp(event: KeyboardEvent) {
  const key = nameOf(event);
  const before = prefix && event.timeStamp - prefix.at < SEQUENCE_MS ? `${prefix.key} ` : "";
  prefix = key === "g" ? { key, at: event.timeStamp } : undefined;
  const shortcuts = offeredShortcuts();
  return (
    shortcuts.find(({ keys }) => keys.includes(before + key)) ??
    shortcuts.find(({ keys }) => keys.includes(key))
  );
}

/** Letters and signs carry their shift in themselves; keys with a name have it in front. */
function nameOf({ key: typed, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const key = typed === " " ? "Space" : typed;
  if (ctrlKey || metaKey) return `Ctrl+${key}`;
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Escape and the arrow down lead out of the search field into the list. */
function leaveField(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLInputElement) || target.id !== "search") return;
  if (key !== "Escape" && key !== "ArrowDown" && key !== "Enter") return;
  event.preventDefault();
  target.blur();
  focusList();
}

/** Who selects all within a message means its text. */
function isForMessage({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return (
    (ctrlKey || metaKey) && key === "a" && target instanceof Element && !!target.closest(".message-pane")
  );
}

/**
 * Buttons, links and tabs act on Enter, text that scrolls moves with the arrows, a list and a text turn their own pages.
 */
function ownsKey({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || ctrlKey || metaKey) return false;
  if (key === "Enter") return target.matches("button, a, summary, [role=tab]");
  if (key === " " && target.matches("button, input, summary, [role=tab]")) return true;
  if (key === " ") return target.closest("#mail-list") !== null && !hasPages();
  if (key.startsWith("Page")) return target.closest("#mail-list, #tab-panel") !== null;
  return key.startsWith("Arrow") && target.closest("[data-own-arrows]") !== null;
}
