// Above the list: its name and count, the filters in use as chips that can be removed, and a hint where an operator of
// the search was misspelt; or, while mails are ticked, the actions on them.
import { searchHint } from "../../query/index.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { FLAGS, NO_FILTER } from "../api/address.ts";
import { INBOX } from "../api/client.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { finished, searchChips } from "../format/search-terms.ts";
import { ids, isListed, listState, selected } from "../state/list.ts";
import { changeFilter, isFiltered, navigate, route } from "../state/route.ts";
import { clearSelection, isSelecting, selectAllListed } from "../state/selection.ts";
import { totalCount, unreadCount } from "../state/service.ts";
import { groupsRuns } from "../state/settings.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";

export const ListHead = () => (isSelecting.value ? <BulkBar /> : <FilterBar />);

function FilterBar() {
  const chips = activeFilters();
  const hint = searchHint(finished(route.value.filter.q));
  return (
    <div class="filter-bar">
      <div class="row">
        <h2>{route.value.filter.q.trim() ? "Search" : INBOX || "Inbox"}</h2>
        <p class="hint grow list-count" role="status">
          <Count />
        </p>
        {isFiltered.value && (
          <button type="button" class="link-button" onClick={() => navigate({ filter: NO_FILTER })}>
            Clear
          </button>
        )}
        <IconButton
          icon="runs"
          label="Group by run"
          aria-pressed={groupsRuns.value}
          onClick={() => (groupsRuns.value = !groupsRuns.peek())}
        />
      </div>
      {chips.length > 0 && (
        <ul class="row wrap chips" aria-label="Filters in use">
          {chips.map(({ label, remove }) => (
            <li key={label}>
              <button
                type="button"
                class="chip"
                aria-label={`Remove ${nameControls(label)}`}
                onClick={remove}
              >
                <bdi>{nameControls(label)}</bdi>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {hint && (
        <p class="note" role="status">
          {hint}
        </p>
      )}
    </div>
  );
}

function activeFilters(): { label: string; remove: () => void }[] {
  const { filter } = route.value;
  const { q, tags } = filter;
  return [
    ...FLAGS.filter(({ name }) => filter[name]).map(({ name, label }) => ({
      label,
      remove: () => changeFilter({ [name]: false }),
    })),
    ...tags.map((tag) => ({
      label: tag,
      remove: () => changeFilter({ tags: tags.filter((other) => other !== tag) }),
    })),
    ...searchChips(q).map(({ term, without }) => ({
      label: term,
      remove: () => changeFilter({ q: without }),
    })),
  ];
}

function Count() {
  if (isFiltered.value) {
    if (!isListed.value) return listState.value === "failed" ? null : <>searching …</>;
    return <>{ids.value.length === 1 ? "1 hit" : `${ids.value.length.toLocaleString()} hits`}</>;
  }
  if (totalCount.value === undefined) return null;
  return (
    <>
      {totalCount.value.toLocaleString()}
      {unreadCount.value > 0 && ` · ${unreadCount.value.toLocaleString()} unread`}
    </>
  );
}

function BulkBar() {
  const chosen = [...selected.value];
  return (
    <div class="row wrap spread bulk-bar" role="toolbar" aria-label="Selected messages">
      <div class="row">
        <IconButton icon="close" label="Clear selection" hotkey="Esc" onClick={clearSelection} />
        <strong role="status">{chosen.length.toLocaleString()} selected</strong>
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
