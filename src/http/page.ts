// The messages of a page, or of a change of many, as they are sent. Those whose texts are too long to be read at once
// are read while the answer is written: a page may hold hundreds of megabytes of recipients, and its client may never
// read them.
import { messagesOneByOne } from "../app/index.ts";
import type { MessageSummary } from "../model/index.ts";
import type { MessagePage, Store } from "../store/index.ts";
import { type PreviewOf, withPreview } from "./previews.ts";

type Messages = MessageSummary[] | AsyncIterable<MessageSummary>;

/** An answer whose messages may be read while it is written. */
export type Long<Answer extends { messages: MessageSummary[] }> = Omit<Answer, "messages"> & {
  readonly messages: Messages;
};

export async function messagesOf(
  store: Store,
  { messages, rest }: Pick<MessagePage, "messages" | "rest">,
  previewOf: PreviewOf | null,
): Promise<Messages> {
  const shown = async (message: MessageSummary) =>
    previewOf === null ? message : withPreview(message, previewOf);
  const first = previewOf === null ? messages : await Promise.all(messages.map(shown));
  if (rest.length === 0) return first;
  return (async function* () {
    yield* first;
    for await (const message of messagesOneByOne(store, { messages: [], rest })) yield shown(message);
  })();
}
