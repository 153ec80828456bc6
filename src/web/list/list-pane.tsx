// The left side: filters or, while mails are ticked, what can be done to them; below it the list or a reason
// why there is none.
import { isFiltered } from "../state/route.ts";
import { isSelecting } from "../state/selection.ts";
import { isEmpty, isListed, viewState } from "../state/view.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { NoHits, ServerUnreachable, StillLoading } from "./list-states.tsx";
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
  if (viewState.value === "failed") return <ServerUnreachable />;
  if (viewState.value === "loading" || !isListed.value) return <StillLoading />;
  return isFiltered.value ? <NoHits /> : <p class="list-empty">No mail yet</p>;
}
