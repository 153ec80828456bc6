// The actions on the ticked mails.
import { ActionButton } from "../actions/action-button.tsx";
import { formatCount } from "../format/size.ts";
import { ids, selected } from "../state/list.ts";
import { clearSelection, selectAllListed } from "../state/selection.ts";
import { IconButton } from "../ui/icon-button.tsx";

export function BulkBar() {
  const chosen = [...selected.value];
  return (
    <div class="row wrap bulk-bar" role="toolbar" aria-label="Selected messages">
      <div class="row grow">
        <IconButton icon="close" label="Clear selection" hotkey="Esc" onClick={clearSelection} />
        <strong role="status">{formatCount(chosen.length)} selected</strong>
        {chosen.length < ids.value.length && (
          <button type="button" class="link-button" onClick={selectAllListed}>
            Select all loaded
          </button>
        )}
      </div>
      <div class="row">
        {chosen.length === 2 && <ActionButton name="compare" on={chosen} />}
        {(["read", "star", "tag", "delete"] as const).map((name) => (
          <ActionButton key={name} name={name} on={chosen} />
        ))}
      </div>
    </div>
  );
}
