// Puts a text on the clipboard. That needs a secure page; over plain HTTP on a network an old command still works.

/** False: it was not copied. Takes the button that was pressed. */
export async function copyText(text: string | Promise<string>, button: HTMLElement): Promise<boolean> {
  if (!navigator.clipboard) return copyByCommand(await text, button);
  // Handed over at once, even if it comes later: a page may copy only for a moment after a click.
  const content = typeof text === "string" ? text : text.then((late) => new Blob([late], { type: PLAIN }));
  await (typeof content === "string"
    ? navigator.clipboard.writeText(content)
    : navigator.clipboard.write([new ClipboardItem({ [PLAIN]: content })]));
  return true;
}

const PLAIN = "text/plain";

/** Only what is selected is copied, and behind an open dialog nothing can be: the text goes beside the button. */
function copyByCommand(text: string, button: HTMLElement): boolean {
  const area = document.createElement("textarea");
  area.className = "visually-hidden";
  area.value = text;
  // What is copied may come late, and somebody type elsewhere by then.
  const held = document.activeElement === document.body ? button : document.activeElement;
  button.after(area);
  area.select();
  const isCopied = document.activeElement === area && document.execCommand("copy");
  area.remove();
  if (held instanceof HTMLElement) held.focus();
  return isCopied;
}
