// Keys pressed in the frame of an HTML body, which has the focus once it was clicked into. What moves within it, follows
// its links or copies from it is its own; the rest is passed on to the page.

const OWN_KEYS = /^(?: |Arrow.*|Page.*|Home|End|Tab|Enter)$/;

export function passKeysOn(frame: HTMLIFrameElement): void {
  frame.contentDocument?.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || OWN_KEYS.test(event.key)) return;
    const isUnused = frame.dispatchEvent(new KeyboardEvent("keydown", event));
    if (!isUnused) event.preventDefault();
  });
}
