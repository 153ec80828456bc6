// What can be done to the ticked mails.
import { markRead, star } from "../state/actions.ts";
import { deleteWithUndo } from "../state/delete.ts";
import { openDialog } from "../state/layout.ts";
import { rowOf } from "../state/rows.ts";
import { clearSelection, selectAllListed, selected } from "../state/selection.ts";
import { ids } from "../state/view.ts";
import { IconButton } from "../ui/icon-button.tsx";

export function BulkBar() {
  const chosen = [...selected.value];
  const rows = chosen.flatMap((id) => rowOf(id)?.value ?? []);
  const hasUnread = rows.some((row) => !row.is_read);
  const hasUnstarred = rows.some((row) => !row.is_starred);
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected messages">
      <div class="bulk-head">
        <IconButton icon="close" label="Clear selection" hotkey="Esc" onClick={clearSelection} />
        <strong role="status">{chosen.length} selected</strong>
        {chosen.length < ids.value.length && (
          <button type="button" class="link-button" onClick={selectAllListed}>
            Select all loaded
          </button>
        )}
      </div>
      <div class="bulk-actions">
        <IconButton
          icon={hasUnread ? "read" : "unread"}
          label={hasUnread ? "Mark as read" : "Mark as unread"}
          hotkey="u"
          onClick={() => void markRead(chosen, hasUnread)}
        />
        <IconButton
          icon="star"
          label={hasUnstarred ? "Star" : "Remove star"}
          hotkey="s"
          onClick={() => void star(chosen, hasUnstarred)}
        />
        <IconButton
          icon="tag"
          label="Tag"
          hotkey="t"
          onClick={() => {
            openDialog.value = "tag";
          }}
        />
        <IconButton icon="trash" label="Delete" hotkey="#" onClick={() => deleteWithUndo(chosen)} />
      </div>
    </div>
  );
}
