// A modal window. While it is open, it shows the notices of the page.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { rescueFrom } from "../actions/focus.ts";
import { closeDialog, isCovered, type OpenDialog } from "../state/layout.ts";
import { Button, IconButton, Toasts } from "../ui/index.ts";

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, class: extra, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget | null>(null);
  // A layout effect runs at once, so that a key pressed right after opening reaches the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    isCovered.value = true;
    return () => {
      isCovered.value = false;
      // Must close first: nothing outside an open dialog can have the focus.
      element?.close();
      if (before) rescueFrom(before);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: with keys, Escape closes it
    <dialog
      ref={dialog}
      class={`popup scroll dialog ${extra ?? ""}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        // Keys pressed between the browser's closing and its later `close` event would be lost.
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // The event can come after this dialog was removed and another dialog was opened.
        if (dialog.current) onClose();
      }}
      onMouseDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target, detail }) => {
        // Ignores a selection that ends outside, and the second click of a double click.
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

export function QuestionDialog({ question }: OpenDialog) {
  if (!question) return null;
  return (
    <Dialog title={question.title} onClose={closeDialog}>
      <p>{question.text()}</p>
      <div class="row end">
        <Button label="Cancel" autofocus onClick={closeDialog} />
        <Button
          class="button button-danger"
          label={question.action}
          onClick={() => {
            closeDialog();
            question.run();
          }}
        />
      </div>
    </Dialog>
  );
}
