// The left side: the list below its head, or a reason why there is none.
import { SEARCH_OPERATORS } from "../../query/index.ts";
import { HOME, NO_FILTER } from "../api/address.ts";
import { INBOX } from "../api/client.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { searchChips } from "../format/search-terms.ts";
import { isEmpty, isListed, listFailure, listState } from "../state/list.ts";
import { refetch } from "../state/live.ts";
import { changeFilter, isFiltered, navigate, route } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";
import { FailureText } from "../ui/waiting.tsx";
import { ListHead } from "./list-head.tsx";
import { MailList } from "./mail-list.tsx";

export function ListPane() {
  return (
    <section class="list-pane" aria-label="Inbox">
      <ListHead />
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
  const q = route.value.filter.q.trim();
  const [chip] = searchChips(q);
  return (
    <div class="notice" role="status">
      <Icon name="search" />
      <h2>{q ? `Nothing found for “${q}”` : "Nothing matches these filters"}</h2>
      {q !== "" && (
        <p>
          Every word and condition must hold; beginnings of words count. Try fewer words, OR between them, or
          an operator:{" "}
          {SEARCH_OPERATORS.map(({ name }) => (
            <code key={name}>{name} </code>
          ))}
        </p>
      )}
      {chip && (
        <button type="button" class="button" onClick={() => changeFilter({ q: chip.without })}>
          Search without {nameControls(chip.term)}
        </button>
      )}
      <button type="button" class="button" onClick={() => navigate({ filter: NO_FILTER })}>
        Show all mail
      </button>
    </div>
  );
}

function ServerUnreachable() {
  const failure = listFailure.value;
  if (!failure) return <StillLoading />;
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
      {INBOX && (
        <a class="button" href={HOME}>
          Show all mail
        </a>
      )}
    </div>
  );
}
