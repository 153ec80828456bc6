// The notices at the bottom, read out politely: on the page, or in the dialog that covers it.
import { hideToast, toasts } from "../state/toasts.ts";
import { IconButton } from "./icon-button.tsx";

/** Empty, the region is still there: a screen reader hears what comes into one that it already knows. */
export function Toasts({ isShown = true }: { isShown?: boolean }) {
  const shown = isShown ? toasts.value : [];
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone, action }) => (
        <div key={id} class={`row toast toast-${tone}`}>
          <span>{text}</span>
          {action && (
            <button type="button" class="link-button" onClick={action.run}>
              {action.label}
            </button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => hideToast(id)} />
        </div>
      ))}
    </div>
  );
}
