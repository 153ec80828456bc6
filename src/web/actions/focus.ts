// Moving the focus between the parts of the page, after they were drawn.
import { effect } from "@preact/signals";
import { gone, ids } from "../state/list.ts";
import { navigate, openedId } from "../state/route.ts";

const afterDrawing = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

let wishes = 0;

/** Unless the focus has gone elsewhere meanwhile, or is wanted elsewhere: who has begun to type goes on typing. */
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

/** Where there is room for one pane, the search stands above the list. */
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

/** What was pressed, or had the focus, may be gone afterwards; the focus then goes to what stands nearest. */
export function keepFocus(): void {
  window.addEventListener(
    "click",
    ({ target }) => {
      const pressed = target instanceof Element && target.closest("button, a");
      if (pressed) rescueFrom(pressed);
    },
    { capture: true },
  );
  effect(() => {
    openedId.value;
    gone.value;
    ids.value;
    rescueFocus();
  });
}

/** For what is about to be drawn anew. */
export function rescueFocus(): void {
  if (document.activeElement) rescueFrom(document.activeElement);
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
