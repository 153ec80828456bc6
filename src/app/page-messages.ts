// The messages of a page one by one: those that were too long to be read with it are read when they are asked for.
import type { MessageSummary } from "../model/index.ts";
import type { MessagePage, Store } from "../store/index.ts";

/** What is gone meanwhile is left out. */
export async function* messagesOneByOne(
  store: Store,
  { messages, rest }: Pick<MessagePage, "messages" | "rest">,
): AsyncGenerator<MessageSummary, void, void> {
  yield* messages;
  for (const id of rest) {
    const message = await store.get(id);
    if (message !== null) yield message;
  }
}
