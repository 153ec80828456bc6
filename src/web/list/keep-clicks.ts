// Clicks on rows that move while the button is down, because mail comes or goes. The browser then tells only the list
// of them; meant is what was pressed.

/** Farther, the pointer was moved away, and nothing is meant. */
const STILL_PX = 4;

export function keepClicks(): void {
  let pressed: MouseEvent | undefined;
  window.addEventListener("mousedown", (event) => {
    pressed = event;
  });
  window.addEventListener("click", (click) => {
    const press = pressed;
    pressed = undefined;
    if (!press || rowAt(click.target) || !rowAt(press.target)?.isConnected || !isStill(press, click)) return;
    press.target?.dispatchEvent(new MouseEvent("click", click));
  });
}

function rowAt(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest(".mail-row") : null;
}

function isStill(press: MouseEvent, click: MouseEvent): boolean {
  return Math.hypot(click.clientX - press.clientX, click.clientY - press.clientY) < STILL_PX;
}
