// The notices at the bottom, read out politely.
import { hideToast, toasts } from "../state/toasts.ts";
import { IconButton } from "./icon-button.tsx";

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <span>{text}</span>
          {action && (
            <button type="button" class="toast-action" onClick={action.run}>
              {action.label}
            </button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => hideToast(id)} />
        </div>
      ))}
    </div>
  );
}
