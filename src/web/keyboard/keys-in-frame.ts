// Keys pressed in the frame of an HTML body, which has the focus once it was clicked into. What moves within it, follows
// its links or copies from it is its own; the rest is passed on to the page.

const OWN_KEYS = /^(?: |Arrow.*|Page.*|Home|End|Tab|Enter)$/;

const followed = new WeakSet<Document>();

/** A body that waits for its pictures can be clicked into before it is loaded. */
export function followFrames(): void {
  window.addEventListener("blur", () => {
    const held = document.activeElement;
    if (held instanceof HTMLIFrameElement && held.matches(".html-frame")) passKeysOn(held);
  });
}

export function passKeysOn(frame: HTMLIFrameElement): void {
  const body = frame.contentDocument;
  if (!body || followed.has(body)) return;
  followed.add(body);
  body.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || OWN_KEYS.test(event.key)) return;
    const isUnused = frame.dispatchEvent(new KeyboardEvent("keydown", event));
    if (!isUnused) event.preventDefault();
  });
}
