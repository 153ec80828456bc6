// Moves the focus between parts of the page after they are drawn, and scrolls the message by pages.
import { effect } from "@preact/signals";
import { gone, ids } from "../state/list.ts";
import { navigate, openedId } from "../state/route.ts";

const afterDrawing = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

let wishes = 0;

/** Does nothing if the focus has moved by then: the user may have begun to type. */
function focusOn(id: string): void {
  const wish = ++wishes;
  const held = document.activeElement;
  afterDrawing(() => {
    const isHeld = document.activeElement === held || document.activeElement === document.body;
    if (isHeld && wish === wishes) document.getElementById(id)?.focus({ preventScroll: true });
  });
}

export const focusList = () => focusOn("mail-list");
export const focusMessage = () => focusOn("message-subject");

/** On a narrow page an open message hides the search box, so the message is closed first. */
export function focusSearch(): void {
  const search = document.getElementById("search");
  if (search instanceof HTMLInputElement) {
    search.focus();
    search.select();
  } else if (openedId.peek()) {
    navigate({ id: undefined, tab: undefined });
    focusOn("search");
  }
}

/** If the focused element disappears, the message, the list or the main element gets the focus. */
export function keepFocus(): void {
  const onClick = ({ target }: MouseEvent) => {
    const pressed = target instanceof Element && target.closest("button, a");
    if (pressed) rescueFrom(pressed);
  };
  window.addEventListener("click", onClick, { capture: true });
  effect(() => {
    openedId.value;
    gone.value;
    ids.value;
    if (document.activeElement) rescueFrom(document.activeElement);
  });
}

export function rescueFrom(held: Element): void {
  const isInMessage = held.closest(".message-pane") !== null;
  const nearest = isInMessage ? ["message-subject", "mail-list"] : ["mail-list", "message-subject"];
  afterDrawing(() => {
    if (held.isConnected || document.activeElement !== document.body) return;
    const places = [...nearest, "content"].map((id) => document.getElementById(id));
    places.find((place) => place !== null)?.focus({ preventScroll: true });
  });
}

/** A step is smaller than the visible part, so that the last lines stay in view. */
const PAGE_SHARE = 0.875;

export function scrollMessage(step: 1 | -1): void {
  const part = partToScroll(step);
  part?.scrollBy({ top: step * Math.floor(PAGE_SHARE * part.clientHeight) });
}

export const hasPages = () => partToScroll(1) !== undefined || partToScroll(-1) !== undefined;

/** On a low screen the pane and its content both scroll. Downwards the pane goes first. */
function partToScroll(step: 1 | -1): Element | undefined {
  const panel = document.getElementById("tab-panel");
  const pane = panel?.closest(".message-pane");
  if (!panel || !pane) return undefined;
  const content = panel.querySelector("iframe")?.contentDocument?.scrollingElement ?? panel;
  return (step > 0 ? [pane, content] : [content, pane]).find((part) => canScroll(part, step));
}

function canScroll(part: Element, step: 1 | -1): boolean {
  const isFrame = part.ownerDocument !== document;
  if (!isFrame && getComputedStyle(part).overflowY !== "auto") return false;
  return step > 0 ? part.scrollTop + part.clientHeight + 1 < part.scrollHeight : part.scrollTop > 0;
}
