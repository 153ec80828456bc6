// A modal window: the browser's own dialog keeps the focus inside and closes on Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../ui/icon-button.tsx";

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, class: extra, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${extra ?? ""}`}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-inside">
        <div class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <IconButton icon="close" label="Close" onClick={() => dialog.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
