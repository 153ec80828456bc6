// The left side: the list, or why there is none. Above it are its name, count and filters, or the
// actions on selected mails.
import { SEARCH_OPERATORS, searchHint } from "../../query/index.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { ApiFailure, FLAGS, INBOX, NO_FILTER } from "../api/index.ts";
import { finished, searchChips } from "../format/search-terms.ts";
import { nameControls } from "../format/text-parts.ts";
import { hits, isEmpty, isListed, listState, selected } from "../state/list.ts";
import { refetch } from "../state/live.ts";
import { changeFilter, isFiltered, navigate, route, toggled } from "../state/route.ts";
import { clearSelection, isSelecting } from "../state/selection.ts";
import { totalCount, unreadCount } from "../state/service.ts";
import { groupsRuns } from "../state/settings.ts";
import { Button, failureText, Icon, IconButton } from "../ui/index.ts";
import { MailList } from "./mail-list.tsx";

export function ListPane() {
  return (
    <section class="column list-pane" aria-label="List">
      <div class="stack fixed">
        <FilterBar />
        {isSelecting.value && <BulkBar />}
      </div>
      <ListBody />
    </section>
  );
}

function ListBody() {
  if (!isEmpty.value) return <MailList />;
  const state = listState.value;
  if (state instanceof ApiFailure) return <ServerUnreachable failure={state} />;
  if (state === "loading" || !isListed.value) {
    return <div class="grow skeleton" role="status" aria-label="Loading mail" />;
  }
  return isFiltered.value ? <NoHits /> : <p class="view-empty">No mail yet</p>;
}

function NoHits() {
  const q = route.value.filter.q.trim();
  const [chip] = searchChips(q);
  return (
    <div class="center grow scroll notice" role="status">
      <Icon name="search" />
      <h2>{q ? `Nothing found for “${q}”` : "Nothing matches these filters"}</h2>
      {q !== "" && (
        <p>
          A mail must match every word and condition; the beginning of a word is enough. Try fewer words, put
          OR between them, or use an operator:{" "}
          {SEARCH_OPERATORS.map(({ name }) => (
            <code key={name}>{name} </code>
          ))}
        </p>
      )}
      {chip && (
        <Button
          label={`Search without ${nameControls(chip.term)}`}
          onClick={() => changeFilter({ q: chip.without })}
        />
      )}
      <Button label="Show all mail" onClick={() => navigate({ filter: NO_FILTER })} />
    </div>
  );
}

function ServerUnreachable({ failure }: { failure: ApiFailure }) {
  return (
    <div class="center grow scroll notice" role="alert">
      <Icon name="offline" />
      <h2>{failure.status === 0 ? "The server does not answer" : "The list could not be loaded"}</h2>
      <p>{failureText(failure)}</p>
      <Button label="Try now" onClick={refetch} />
    </div>
  );
}

function FilterBar() {
  const chips = activeFilters();
  const hint = searchHint(finished(route.value.filter.q));
  return (
    <div class="column filter-bar">
      <div class="row">
        <h2 class="cut">
          {route.value.filter.q.trim()
            ? "Search"
            : INBOX || chips.map(({ label }) => label).join(", ") || "All mail"}
        </h2>
        <p class="hint list-count" role="status">
          <Count />
        </p>
        {isFiltered.value && (
          <Button class="link-button" label="Clear" onClick={() => navigate({ filter: NO_FILTER })} />
        )}
        <IconButton
          icon="runs"
          label="Group by run"
          aria-pressed={groupsRuns.value}
          onClick={() => (groupsRuns.value = !groupsRuns.peek())}
        />
      </div>
      {chips.length > 0 && (
        <ul class="row wrap" aria-label="Filters in use">
          {chips.map(({ label, remove }) => (
            <li key={label} class="row">
              <button type="button" class="chip" aria-label={`Remove ${label}`} onClick={remove}>
                <bdi>{label}</bdi>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {hint && (
        <p class="small note" role="status">
          {hint}
        </p>
      )}
    </div>
  );
}

function activeFilters(): { label: string; remove: () => void }[] {
  const { q, flags, tags, to } = route.value.filter;
  return [
    ...FLAGS.filter(({ name }) => flags.includes(name)).map(({ name, label }) => ({
      label,
      remove: () => changeFilter({ flags: toggled(flags, name) }),
    })),
    ...tags.map((tag) => ({
      label: nameControls(tag),
      remove: () => changeFilter({ tags: toggled(tags, tag) }),
    })),
    ...(to ? [{ label: nameControls(to), remove: () => changeFilter({ to: "" }) }] : []),
    ...searchChips(q).map(({ term, without }) => ({
      label: nameControls(term),
      remove: () => changeFilter({ q: without }),
    })),
  ];
}

function Count() {
  if (isFiltered.value) {
    if (!isListed.value) return listState.value instanceof ApiFailure ? null : "searching …";
    return hits.value === 1 ? "1 hit" : `${hits.value.toLocaleString()} hits`;
  }
  if (totalCount.value === undefined) return null;
  const unread = unreadCount.value > 0 ? ` · ${unreadCount.value.toLocaleString()} unread` : "";
  return totalCount.value.toLocaleString() + unread;
}

function BulkBar() {
  const chosen = [...selected.value];
  return (
    <div class="row bulk-bar" role="toolbar" aria-label="Selected mail">
      <IconButton icon="close" label="Clear selection" hotkey="Esc" onClick={clearSelection} />
      <strong class="cut" role="status">
        {chosen.length.toLocaleString()} selected
      </strong>
      <ActionButton name="selectAll" />
      <span class="grow" />
      <div class="fixed">
        <ActionButton name="compare" on={chosen} disabled={chosen.length !== 2} />
        {(["read", "star", "tag", "delete"] as const).map((name) => (
          <ActionButton key={name} name={name} on={chosen} />
        ))}
      </div>
    </div>
  );
}
