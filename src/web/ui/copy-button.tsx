// Copies a text and says so for a moment.
import { useSignal } from "@preact/signals";
import { complain } from "../state/toasts.ts";
import { Icon } from "./icon.tsx";

const SAID_MS = 1500;

interface Props {
  text: string | (() => Promise<string>);
  label: string;
  caption?: string;
  tabIndex?: number;
}

export function CopyButton({ text, label, caption, tabIndex }: Props) {
  const isCopied = useSignal(false);
  const copy = async (button: HTMLElement) => {
    const isDone = await copyText(typeof text === "string" ? text : text(), button).catch(() => false);
    if (!isDone) return complain("Copying is not allowed here; select the text instead");
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SAID_MS);
  };
  return (
    <button
      type="button"
      class={caption ? "button button-quiet" : "icon-button"}
      aria-label={isCopied.value ? "Copied" : label}
      title={label}
      tabIndex={tabIndex}
      onClick={(event) => void copy(event.currentTarget)}
    >
      <Icon name={isCopied.value ? "check" : "copy"} />
      {caption && <span>{isCopied.value ? "Copied" : caption}</span>}
    </button>
  );
}

/** Putting a text on the clipboard needs a secure page; over plain HTTP an old command still works. False: it was not copied. Takes the button that was pressed. */
async function copyText(text: string | Promise<string>, button: HTMLElement): Promise<boolean> {
  if (!navigator.clipboard) return copyByCommand(await text, button);
  // Handed over at once, even if it comes later: a page may copy only for a moment after a click.
  const content = Promise.resolve(text).then((late) => new Blob([late], { type: PLAIN }));
  await navigator.clipboard.write([new ClipboardItem({ [PLAIN]: content })]);
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
