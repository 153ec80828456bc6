// The messages of a page as they are sent. Those whose texts are too long to be read at once are read while the
// answer is written: a page may hold hundreds of megabytes of recipients, and its client may never read them.
import type { MessageList, MessageSummary } from "../model/index.ts";
import type { MessagePage, Store } from "../store/index.ts";
import { type PreviewOf, withPreview } from "./previews.ts";

type Messages = MessageSummary[] | AsyncIterable<MessageSummary>;

export type LongList = Omit<MessageList, "messages"> & { readonly messages: Messages };

export async function messagesOf(
  store: Store,
  { messages, rest }: MessagePage,
  previewOf: PreviewOf | null,
): Promise<Messages> {
  const shown = async (message: MessageSummary) =>
    previewOf === null ? message : withPreview(message, previewOf);
  const first = previewOf === null ? messages : await Promise.all(messages.map(shown));
  if (rest.length === 0) return first;
  return (async function* () {
    yield* first;
    for (const id of rest) {
      const message = await store.get(id);
      if (message !== null) yield shown(message);
    }
  })();
}
