// A modal window: the browser's own dialog keeps the focus inside and closes on Escape. Notices are shown in it.

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
  // In a layout effect, because a key that is pressed now is meant for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    isCovered.value = true;
    return () => {
      isCovered.value = false;
      // Closed first, because nothing outside can have the focus while the dialog is open.
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
        // The browser closes the dialog first and reports it later. A key pressed in between would be lost.
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // This dialog may be gone already, and the next one open.
        if (dialog.current) onClose();
      }}
      onMouseDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target, detail }) => {
        // Only a press outside closes: not the end of selecting text, and not the second of two quick clicks.
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
