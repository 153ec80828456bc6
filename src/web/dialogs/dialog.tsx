// A modal window: the browser's own dialog keeps the focus inside and closes on Escape. Notices are shown in it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { rescueFrom } from "../actions/focus.ts";
import { isCovered } from "../state/layout.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Toasts } from "../ui/toasts.tsx";

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, class: extra, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget | null>(null);
  // Before anything else happens: a key pressed now is meant for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    isCovered.value = true;
    return () => {
      isCovered.value = false;
      // As long as it is open, nothing beside it can have the focus.
      element?.close();
      if (before) rescueFrom(before);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: with keys, Escape closes it
    <dialog
      ref={dialog}
      class={`popup dialog ${extra ?? ""}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        // The browser would close it now and tell of it later: a key pressed between would be lost.
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // By then this one may be gone and the next one open.
        if (dialog.current) onClose();
      }}
      onMouseDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target, detail }) => {
        // Text that is selected with the mouse may be let go of outside: only a press there is meant to close, and not
        // the second of two quick clicks on what has opened it.
        if (target === dialog.current && pressed.current === target && detail < 2) onClose();
      }}
    >
      <div class="stack dialog-inside">
        <div class="row spread">
          <h2 id="dialog-title" class="cut">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
      <Toasts />
    </dialog>
  );
}
