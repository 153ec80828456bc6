// Runs the actions of keys pressed on the page. Keys pressed in a field or a dialog stay there.
import { isCovered } from "../state/layout.ts";
import { ACTIONS, type Action, isOffered, targets } from "./actions.ts";
import { focusList, hasPages } from "./focus.ts";

export function followKeys(): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isCovered.peek() || isComposing(event) || isForBrowser(event)) return;
    if (isTyping(event.target)) return leaveField(event);
    if (ownsKey(event)) return;
    const action = lookUp(event);
    if (!action) return;
    event.preventDefault();
    if (event.repeat && !action.isRepeated) return;
    const on = targets();
    if (!action.needsMail || on.length > 0) action.run(on, event.key);
  });
}

/** Whether the key belongs to an input method. Safari tells only by key code 229. */
const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

/** Alt opens the browser's menus, but also types signs: # is Option+3 on a British Mac. */
function isForBrowser({ key, altKey }: KeyboardEvent): boolean {
  return altKey && !/^[^\p{L}\p{N}\s]$/u.test(key);
}

function lookUp(event: KeyboardEvent): Action | undefined {
  const key = nameOf(event);
  return Object.values<Action>(ACTIONS).find((action) => action.keys.includes(key) && isOffered(action));
}

/** `key` already shows Shift for signs like "?". Named keys need a prefix, as in Shift+Space. */
function nameOf({ key: typed, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const key = typed === " " ? "Space" : typed;
  if (ctrlKey || metaKey) return `Ctrl+${key}`;
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function leaveField(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLInputElement) || target.id !== "search") return;
  if (key !== "Escape" && key !== "ArrowDown" && key !== "Enter") return;
  event.preventDefault();
  target.blur();
  focusList();
}

function ownsKey({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === "Escape") return document.querySelector(":popover-open") !== null;
  // In a message, Ctrl+A selects its text; elsewhere on the page it selects the mails.
  if (ctrlKey || metaKey) return key === "a" && target.closest(".message-pane") !== null;
  if (key === "Enter") return target.matches("button, a, summary, [role=tab]");
  if (key === " " && target.matches("button, input, summary, [role=tab]")) return true;
  if (key === " ") return target.closest("#mail-list") !== null && !hasPages();
  if (key.startsWith("Page")) return target.closest("#mail-list, #tab-panel") !== null;
  return key.startsWith("Arrow") && target.closest("[data-own-arrows]") !== null;
}
