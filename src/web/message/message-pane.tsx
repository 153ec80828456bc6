// The right side: the opened message, or why there is none.
import { fullMessage, vanished } from "../state/opened.ts";
import { openedId } from "../state/route.ts";
import { rowOf } from "../state/rows.ts";
import { MessageBody } from "./message-body.tsx";
import { MessageHead } from "./message-head.tsx";
import { Gone, NothingOpened, NotLoaded } from "./message-states.tsx";
import { MessageToolbar } from "./message-toolbar.tsx";
import { useReadOnOpen } from "./use-read-on-open.ts";

export function MessagePane() {
  const id = openedId.value;
  return (
    <article class="message-pane" aria-label="Message">
      {id ? <OpenedMessage id={id} /> : <NothingOpened />}
    </article>
  );
}

function OpenedMessage({ id }: { id: string }) {
  const loaded = fullMessage.of(id).value;
  // What the list already knows is shown at once, the rest when it is there.
  const summary = rowOf(id)?.value ?? (loaded.state === "ready" ? loaded.value : undefined);
  useReadOnOpen(id, loaded.state === "ready");
  if (vanished.value.has(id)) return <Gone />;
  if (loaded.state === "failed") {
    return loaded.failure.status === 404 ? <Gone /> : <NotLoaded failure={loaded.failure} />;
  }
  if (!summary) return <div class="message-waiting" role="status" aria-label="Loading message" />;
  return (
    <>
      {/* The toolbar stays as one goes from message to message: a button that was pressed keeps the focus. */}
      <MessageToolbar mail={summary} />
      <MessageHead key={`head-${id}`} mail={summary} />
      {loaded.state === "ready" ? (
        <MessageBody key={`body-${id}`} message={loaded.value} />
      ) : (
        <div class="message-waiting" role="status" aria-label="Loading message" />
      )}
    </>
  );
}
