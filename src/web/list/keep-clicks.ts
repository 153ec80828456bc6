// Clicks on rows that move while the button or the finger is down, because mail comes or goes. The browser then tells
// only the list of them, or the row that came under the finger; meant is what was pressed.

/** Farther, the mouse was moved away, and nothing is meant. */
const STILL_PX = 4;

export function keepClicks(): void {
  let pressed: PointerEvent | undefined;
  const options = { capture: true };
  window.addEventListener("pointerdown", (event) => (pressed = event), options);
  window.addEventListener(
    "click",
    (click) => {
      const press = pressed;
      pressed = undefined;
      const row = rowAt(press?.target);
      if (!press || !row || row === rowAt(click.target) || isByKey(click) || !isStill(press, click)) return;
      click.stopPropagation();
      click.preventDefault();
      // What has left meanwhile cannot be meant any more, nor can what has come in its place.
      if (row.isConnected) press.target?.dispatchEvent(new MouseEvent("click", click));
    },
    options,
  );
}

function rowAt(target: EventTarget | null | undefined): Element | null {
  return target instanceof Element ? target.closest(".mail-row") : null;
}

/** Whatever was pressed before: a finger that scrolled the list has clicked nothing. */
const isByKey = ({ detail }: MouseEvent) => detail === 0;

/** A finger that moves away scrolls instead. */
function isStill(press: PointerEvent, click: MouseEvent): boolean {
  const distance = Math.hypot(click.clientX - press.clientX, click.clientY - press.clientY);
  return press.pointerType === "touch" || distance < STILL_PX;
}
