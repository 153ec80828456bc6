// Turning the pages of the opened message, wherever the focus is. An HTML body scrolls in a frame of its own.

/** What was read last stays in sight. */
const PAGE_SHARE = 0.875;

export function scrollMessage(step: 1 | -1): void {
  const part = partToScroll(step);
  part?.scrollBy({ top: step * Math.floor(PAGE_SHARE * part.clientHeight) });
}

export const hasPages = () => partToScroll(1) !== undefined || partToScroll(-1) !== undefined;

/** On a short page the message scrolls as a whole, and at its end the content. */
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
