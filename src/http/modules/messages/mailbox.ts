// The mailbox as a whole: list it, change or delete many at once.
import { Elysia } from "elysia";
import type { Inbox, MessageReader } from "../../../app/index.ts";
import { BulkChangeRequest, type BulkUpdated, type MessageList } from "../../../model/index.ts";
import type { Store } from "../../../store/index.ts";
import { readChange } from "../../change.ts";
import { FILTER_NAMES } from "../../filters.ts";
import { asListProblem, readListQuery } from "../../listing.ts";
import { documented } from "../../openapi/operation.ts";
import { wantsPreview, withPreview } from "../../previews.ts";
import { QueryString } from "../../query-string.ts";
import { conflictingSelection, readDeletion } from "./deletion.ts";
import { DELETE_DOC, LIST_DOC, UPDATE_DOC } from "./mailbox.docs.ts";

export interface MailboxOptions {
  readonly inbox: Inbox;
  readonly store: Store;
  readonly reader: MessageReader;
  /** A search waits for the text index, however far behind it is. */
  readonly keepOpen: (request: Request) => void;
}

export function mailbox({ inbox, store, reader, keepOpen }: MailboxOptions) {
  return new Elysia({ prefix: "/api/v1/messages" })
    .get(
      "",
      async ({ request }): Promise<MessageList> => {
        const query = new QueryString(request.url);
        const asked = readListQuery(query);
        if (asked.filter.q !== undefined) keepOpen(request);
        const { messages, total, next_cursor } = await store.list(asked).catch((error) => {
          throw asListProblem(error, asked);
        });
        const shown = wantsPreview(query)
          ? await Promise.all(messages.map((message) => withPreview(message, reader.preview)))
          : messages;
        return { messages: shown, total, next_cursor, limit: asked.limit };
      },
      documented(LIST_DOC),
    )
    .patch(
      "",
      async ({ request, body: { ids, ...change } }): Promise<BulkUpdated> => {
        const query = new QueryString(request.url);
        if (FILTER_NAMES.some((name) => query.has(name))) throw conflictingSelection("changed");
        const messages = await inbox.update(ids, readChange(change));
        const found = new Set(messages.map(({ id }) => id));
        return { messages, not_found: [...new Set(ids)].filter((id) => !found.has(id)) };
      },
      { body: BulkChangeRequest, ...documented(UPDATE_DOC) },
    )
    .delete(
      "",
      async ({ request, body }) => {
        const deletion = readDeletion(new QueryString(request.url), body);
        if (deletion === "all") return { deleted: await inbox.clear() };
        if ("filter" in deletion) {
          if (deletion.filter.q !== undefined) keepOpen(request);
          return { deleted: (await inbox.deleteMatching(deletion.filter)).length };
        }
        const deleted = new Set(await inbox.delete(deletion.ids));
        return { deleted: deleted.size, not_found: deletion.ids.filter((id) => !deleted.has(id)) };
      },
      documented(DELETE_DOC),
    );
}
