// Deleting everything, or all that matches a filter, has no undo, so it asks.
import { deleteEverything } from "../state/changes.ts";
import { closeDialog } from "../state/layout.ts";
import { ids } from "../state/list.ts";
import { totalCount } from "../state/service.ts";
import { Dialog } from "./dialog.tsx";

export function DeleteAllDialog({ isMatching = false }: { isMatching?: boolean }) {
  const which = isMatching ? "that match the filter" : "in this mailbox";
  return (
    <Dialog title={isMatching ? "Delete all that match?" : "Delete all mail?"} onClose={closeDialog}>
      <p>
        {everything(isMatching ? ids.value.length : totalCount.value)} {which} will be removed from the
        server, starred ones too. This cannot be undone.
      </p>
      <div class="row end">
        <button type="button" class="button" autofocus onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            closeDialog();
            void deleteEverything(isMatching);
          }}
        >
          Delete all
        </button>
      </div>
    </Dialog>
  );
}

function everything(count: number | undefined): string {
  // All mail may have been deleted elsewhere while the dialog was open.
  if (!count) return "Every message";
  return count === 1 ? "The one message" : `All ${count.toLocaleString()} messages`;
}
