// Copies a text and says so for a moment.
import { useSignal } from "@preact/signals";
import { complain } from "../state/toasts.ts";
import { Icon } from "./icon.tsx";

const SAID_MS = 1500;

interface Props {
  text: string;
  label: string;
  /** Shows words beside the icon. */
  caption?: string;
}

export function CopyButton({ text, label, caption }: Props) {
  const isCopied = useSignal(false);
  const copy = async () => {
    if (!(await copyText(text))) return complain("Copying is not allowed here; select the text instead");
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
      onClick={() => void copy()}
    >
      <Icon name={isCopied.value ? "check" : "copy"} />
      {caption && <span>{isCopied.value ? "Copied" : caption}</span>}
    </button>
  );
}

/** The clipboard needs a secure page; over plain HTTP on a network the old command still works. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}
