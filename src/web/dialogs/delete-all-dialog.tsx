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
  return (
    <Dialog title="Delete all mail?" onClose={close}>
      <p>
        {everything(totalCount.value)} in this mailbox will be removed from the server, starred ones too. This
        cannot be undone.
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

function everything(count: number | undefined): string {
  // Where all was deleted elsewhere meanwhile, what comes next is meant.
  if (!count) return "Every message";
  return count === 1 ? "The one message" : `All ${formatCount(count)} messages`;
}
