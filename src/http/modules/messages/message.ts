// One message: read it whole, change its flags, delete it.
import { Elysia } from "elysia";
import type { Inbox, MessageReader } from "../../../app/index.ts";
import { type Message, MessageChangeRequest, type MessageSummary } from "../../../model/index.ts";
import { readChange } from "../../change.ts";
import { documented } from "../../openapi/operation.ts";
import { parsedHeader } from "../../parsed-header.ts";
import { wantsPreview, withPreview } from "../../previews.ts";
import { known, unknownMessage } from "../../problem.ts";
import { QueryString } from "../../query-string.ts";
import { DELETE_ONE_DOC, GET_DOC, PATCH_DOC } from "./message.docs.ts";

export interface MessageOptions {
  readonly inbox: Inbox;
  readonly reader: MessageReader;
}

export function message({ inbox, reader }: MessageOptions) {
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "",
      async ({ params: { id }, request, set }): Promise<Message> => {
        const query = new QueryString(request.url);
        const message = await known(id, reader.message(id));
        Object.assign(set.headers, parsedHeader(message));
        return wantsPreview(query) ? withPreview(message.found, reader.preview) : message.found;
      },
      documented(GET_DOC),
    )
    .patch(
      "",
      async ({ params: { id }, body }): Promise<MessageSummary> => {
        const [changed] = await inbox.update([id], readChange(body));
        if (!changed) throw unknownMessage(id);
        return changed;
      },
      { body: MessageChangeRequest, ...documented(PATCH_DOC) },
    )
    .delete(
      "",
      async ({ params: { id } }) => {
        const [deleted] = await inbox.delete([id]);
        if (deleted === undefined) throw unknownMessage(id);
        return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
      },
      documented(DELETE_ONE_DOC),
    );
}
