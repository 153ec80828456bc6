// Copies a text and says so for a moment.
import { useSignal } from "@preact/signals";
import { complain } from "../state/toasts.ts";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icon.tsx";

const SAID_MS = 1500;

interface Props {
  /** What is yet to be fetched, as a function. */
  text: string | (() => Promise<string>);
  label: string;
  /** Shows words beside the icon. */
  caption?: string;
}

export function CopyButton({ text, label, caption }: Props) {
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
      onClick={(event) => void copy(event.currentTarget)}
    >
      <Icon name={isCopied.value ? "check" : "copy"} />
      {caption && <span>{isCopied.value ? "Copied" : caption}</span>}
    </button>
  );
}
