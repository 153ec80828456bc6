// What is pressed in the frame of an HTML body, which has the focus once it was clicked into. Keys that move within it,
// follow its links or copy from it are its own; the rest is passed on to the page. A link within the mail is followed
// without a step of its own in the history: Back leads out of the message.

const OWN_KEYS = /^(?: |Arrow.*|Page.*|Home|End|Tab|Enter)$/;

const followed = new WeakSet<Document>();

/** A body that waits for its pictures can be clicked into before it is loaded. */
export function followFrames(): void {
  window.addEventListener("blur", () => {
    const held = document.activeElement;
    if (held instanceof HTMLIFrameElement && held.matches(".html-frame")) followFrame(held);
  });
}

export function followFrame(frame: HTMLIFrameElement): void {
  const body = frame.contentDocument;
  if (!body || followed.has(body)) return;
  followed.add(body);
  body.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || OWN_KEYS.test(event.key)) return;
    const isUnused = frame.dispatchEvent(new KeyboardEvent("keydown", event));
    if (!isUnused) event.preventDefault();
  });
  body.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    body.location.replace(link.href);
  });
}

/** Less than what is left on a sheet of A4 or Letter: on a wider one the body is not higher. */
const PAPER_WIDTH = "640px";

export function printWhole(): void {
  window.addEventListener("beforeprint", () => forFrame(heighten));
  window.addEventListener("afterprint", () =>
    forFrame((frame) => {
      frame.style.height = "";
    }),
  );
}

function forFrame(act: (frame: HTMLIFrameElement) => void): void {
  const frame = document.querySelector<HTMLIFrameElement>(".html-frame");
  if (frame) act(frame);
}

function heighten(frame: HTMLIFrameElement): void {
  frame.style.width = PAPER_WIDTH;
  const height = frame.contentDocument?.documentElement.scrollHeight;
  frame.style.width = "";
  if (height) frame.style.height = `${height}px`;
}

export function scrollInStep(frame: HTMLIFrameElement): void {
  const desk = frame.closest(".html-desk");
  frame.contentWindow?.addEventListener("scroll", () => {
    const own = frame.contentDocument?.scrollingElement;
    if (!own || !desk) return;
    const share = own.scrollTop / Math.max(1, own.scrollHeight - own.clientHeight);
    for (const { contentDocument } of desk.querySelectorAll("iframe")) {
      const other = contentDocument?.scrollingElement;
      if (!other || other === own) continue;
      const top = share * (other.scrollHeight - other.clientHeight);
      // Where rounding makes the difference, the frames would answer each other forever.
      if (Math.abs(other.scrollTop - top) > 2) other.scrollTop = top;
    }
  });
}
