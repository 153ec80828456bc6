// Selecting all of a message: what its tab shows. The browser would select all of the page, its bar and its buttons too.

const WITHOUT_BAR = ".header-table, .source";

export function selectMessage(event: KeyboardEvent): void {
  const panel = document.getElementById("tab-panel");
  if (!panel) return;
  event.preventDefault();
  const frame = panel.querySelector<HTMLIFrameElement>(".html-frame");
  // What is copied is what is selected where the focus is.
  frame?.focus();
  const text = frame ? frame.contentDocument?.body : (panel.querySelector(WITHOUT_BAR) ?? panel);
  if (text) text.ownerDocument.getSelection()?.selectAllChildren(text);
}
