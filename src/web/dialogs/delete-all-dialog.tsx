// Deleting everything has no undo, so it asks.
import { formatCount } from "../format/size.ts";
import { deleteEverything } from "../state/actions.ts";
import { openDialog } from "../state/layout.ts";
import { totalCount } from "../state/service.ts";
import { Dialog } from "./dialog.tsx";

export function DeleteAllDialog() {
  const close = () => {
    openDialog.value = undefined;
  };
  const count = totalCount.value ?? 0;
  return (
    <Dialog title="Delete all mail?" onClose={close}>
      <p>
        {count === 1 ? "The one message" : `All ${formatCount(count)} messages`} in this mailbox will be
        removed from the server, starred ones too. This cannot be undone.
      </p>
      <div class="dialog-actions">
        <button type="button" class="button" autofocus onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            close();
            void deleteEverything();
          }}
        >
          Delete all
        </button>
      </div>
    </Dialog>
  );
}
