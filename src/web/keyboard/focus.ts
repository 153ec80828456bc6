// Moving the focus between the parts of the page, after they were drawn.
const afterDrawing = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

const focusOn = (id: string) =>
  afterDrawing(() => document.getElementById(id)?.focus({ preventScroll: true }));

export const focusList = () => focusOn("mail-list");
export const focusMessage = () => focusOn("message-subject");

export function focusSearch(): void {
  const search = document.getElementById("search");
  if (search instanceof HTMLInputElement) search.select();
}

/** What was pressed may be gone afterwards; the focus then goes to the list, or to what stands in its place. */
export function keepFocus(): void {
  window.addEventListener(
    "click",
    ({ target }) => {
      const pressed = target instanceof Element && target.closest("button, a");
      if (pressed) afterDrawing(() => rescueFrom(pressed));
    },
    { capture: true },
  );
}

function rescueFrom(pressed: Element): void {
  if (pressed.isConnected || document.activeElement !== document.body) return;
  const places = ["mail-list", "message-subject", "content"].map((id) => document.getElementById(id));
  places.find((place) => place !== null)?.focus({ preventScroll: true });
}
