// What can be done to the ticked mails.
import { formatCount } from "../format/size.ts";
import { markRead, star } from "../state/actions.ts";
import { deleteWithUndo } from "../state/delete.ts";
import { openDialog } from "../state/layout.ts";
import { rowOf } from "../state/rows.ts";
import { clearSelection, gathering, selectAllListed, selected } from "../state/selection.ts";
import { ids } from "../state/view.ts";
import { IconButton } from "../ui/icon-button.tsx";

export function BulkBar() {
  const chosen = [...selected.value];
  const rows = chosen.flatMap((id) => rowOf(id)?.value ?? []);
  const waiting = gathering.value;
  const isWaiting = waiting !== undefined;
  const hasUnread = rows.some((row) => !row.is_read);
  const hasUnstarred = rows.some((row) => !row.is_starred);
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected messages">
      <div class="bulk-head">
        <IconButton icon="close" label="Clear selection" hotkey="Esc" onClick={clearSelection} />
        <strong role="status">
          {waiting ? `Selecting ${formatCount(waiting.total)} …` : `${formatCount(chosen.length)} selected`}
        </strong>
        {waiting && <progress value={waiting.found} max={waiting.total} aria-label="Selecting" />}
        {!waiting && chosen.length < ids.value.length && (
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
          disabled={isWaiting}
          onClick={() => void markRead(chosen, hasUnread)}
        />
        <IconButton
          icon="star"
          label={hasUnstarred ? "Star" : "Remove star"}
          hotkey="s"
          disabled={isWaiting}
          onClick={() => void star(chosen, hasUnstarred)}
        />
        <IconButton
          icon="tag"
          label="Tag"
          hotkey="t"
          disabled={isWaiting}
          onClick={() => {
            openDialog.value = "tag";
          }}
        />
        <IconButton
          icon="trash"
          label="Delete"
          hotkey="#"
          disabled={isWaiting}
          onClick={() => deleteWithUndo(chosen)}
        />
      </div>
    </div>
  );
}
