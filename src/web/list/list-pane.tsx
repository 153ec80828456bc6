// The left side: filters or, while mails are ticked, the actions on them; below it the list, or a reason why there is
// none.
import type { ApiFailure } from "../api/client.ts";
import { OPERATORS, readSearch, unknownOperators } from "../format/search-terms.ts";
import { UnknownOperators } from "../header/search-box.tsx";
import { NO_FILTER } from "../state/address.ts";
import { isEmpty, isListed, listFailure, listState } from "../state/list.ts";
import { refetch } from "../state/live.ts";
import { isFiltered, navigate, route } from "../state/route.ts";
import { isSelecting } from "../state/selection.ts";
import { Icon } from "../ui/icon.tsx";
import { FailureText } from "../ui/waiting.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { MailList } from "./mail-list.tsx";

export function ListPane() {
  return (
    <section class="list-pane" aria-label="Inbox">
      {isSelecting.value ? <BulkBar /> : <FilterBar />}
      <ListBody />
    </section>
  );
}

function ListBody() {
  if (!isEmpty.value) return <MailList />;
  if (listState.value === "failed") return <ServerUnreachable />;
  if (listState.value === "loading" || !isListed.value) return <StillLoading />;
  return isFiltered.value ? <NoHits /> : <p class="view-empty">No mail yet</p>;
}

function StillLoading() {
  return (
    <div role="status">
      <span class="visually-hidden">Loading messages</span>
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div key={row} class="mail-row skeleton" />
      ))}
    </div>
  );
}

function NoHits() {
  const { q } = route.value.filter;
  return (
    <div class="notice" role="status">
      <Icon name="search" />
      <h2>{q.trim() ? `Nothing found for “${q.trim()}”` : "Nothing matches these filters"}</h2>
      {readSearch(q).text !== "" && (
        <p>
          Every word must occur in the subject, the text, the sender or a recipient. Beginnings of words
          count.
        </p>
      )}
      {unknownOperators(q).length > 0 && <UnknownOperators words={unknownOperators(q)} />}
      {q.trim() !== "" && (
        <p>
          Try fewer words, or an operator:{" "}
          {Object.keys(OPERATORS).map((term) => (
            <code key={term}>{term} </code>
          ))}
        </p>
      )}
      <button type="button" class="button" onClick={() => navigate({ filter: NO_FILTER })}>
        Show all mail
      </button>
    </div>
  );
}

/** The server is there, but does not take what it was asked, such as too many `tag:` in a search. */
function Refused({ failure }: { failure: ApiFailure }) {
  return (
    <div class="notice" role="alert">
      <Icon name="warning" />
      <h2>The list cannot be filtered like this</h2>
      <p>{failure.message}</p>
      <button type="button" class="button" onClick={() => navigate({ filter: NO_FILTER })}>
        Show all mail
      </button>
    </div>
  );
}

function ServerUnreachable() {
  const failure = listFailure.value;
  if (!failure) return <StillLoading />;
  if (failure.status === 400) return <Refused failure={failure} />;
  return (
    <div class="notice" role="alert">
      <Icon name="offline" />
      <h2>{failure.status === 0 ? "The server does not answer" : "The list could not be loaded"}</h2>
      <p>
        <FailureText failure={failure} />
      </p>
      <button type="button" class="button" onClick={refetch}>
        Try now
      </button>
    </div>
  );
}
