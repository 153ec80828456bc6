// One message: read it whole, change its flags, delete it.
import { Elysia } from "elysia";
import type { MessageReader } from "../../../app/index.ts";
import { Message, type MessageChange, MessageChangeRequest, MessageSummary } from "../../../model/index.ts";
import { parsedHeader } from "../../mail-content.ts";
import { operation } from "../../openapi/operation.ts";
import { BAD_BODY, FRESH, jsonAnswer, NO_STORE, problem, UNKNOWN_MESSAGE } from "../../openapi/responses.ts";
import { choice, count, invalid, query } from "../../parameters.ts";
import { known, unknownMessage } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

export const INCLUDE_PREVIEW = choice(
  ["preview"],
  "`preview` adds the From header, the first words of the text and the header `X-Mailkeep-Run`.",
);

export const BODY_CHARS = count("Characters of each body at most; all of them unless given.");

const GET = operation({
  operationId: "getMessage",
  summary: "Get one message with its bodies",
  tags: ["Messages"],
  query: query({ include: INCLUDE_PREVIEW, body_chars: BODY_CHARS }),
  responses: {
    200: jsonAnswer("The message.", Message, FRESH),
    400: problem("A parameter or the URL is malformed.", invalid("include", "body", "preview")),
    ...UNKNOWN_MESSAGE,
  },
});

const PATCH = operation({
  operationId: "updateMessage",
  summary: "Change is_read, is_starred or tags",
  description: "Absent fields stay as they are; unknown ones are ignored. Tags are replaced as a whole.",
  tags: ["Messages"],
  body: MessageChangeRequest,
  responses: {
    200: jsonAnswer("The message after the change.", MessageSummary),
    ...BAD_BODY,
    ...UNKNOWN_MESSAGE,
  },
});

const DELETE = operation({
  operationId: "deleteMessage",
  summary: "Delete one message",
  description: "Needs no body. If the body is not JSON, the request is refused and nothing is deleted.",
  tags: ["Messages"],
  responses: {
    204: { description: "It is gone.", headers: NO_STORE },
    ...BAD_BODY,
    ...UNKNOWN_MESSAGE,
  },
});

export function message({ mailOf, reader }: Pick<Dependencies, "mailOf" | "reader">) {
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "",
      async ({ params: { id }, query: { include, body_chars }, set }): Promise<Message> => {
        const message = await known(id, reader.message(id));
        Object.assign(set.headers, parsedHeader(message));
        const found = withBodyChars(message.found, body_chars);
        return include ? withPreview(found, reader) : found;
      },
      GET,
    )
    .patch(
      "",
      async ({ request, params: { id }, body }): Promise<MessageSummary> => {
        const [changed] = await mailOf(request).update([id], changeOf(body));
        if (!changed) throw unknownMessage(id);
        return changed;
      },
      PATCH,
    )
    .delete(
      "",
      async ({ request, params: { id } }) => {
        const [deleted] = await mailOf(request).delete([id]);
        if (deleted === undefined) throw unknownMessage(id);
        return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
      },
      DELETE,
    );
}

/** Cut between characters. */
export function withBodyChars(message: Message, chars = Number.POSITIVE_INFINITY): Message {
  const cut = (body: string) =>
    body.length <= chars ? body : body.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
  return { ...message, text_body: cut(message.text_body), html_body: cut(message.html_body) };
}

export async function withPreview<Shape extends MessageSummary>(
  message: Shape,
  { preview: previewOf }: Pick<MessageReader, "preview">,
): Promise<Shape> {
  const preview = await previewOf(message.id);
  return preview ? { ...message, preview } : message;
}

/** Only what was sent, duplicate tags collapsed to the first. */
export function changeOf({ is_read, is_starred, tags }: MessageChangeRequest): MessageChange {
  return {
    ...(is_read !== undefined && { is_read }),
    ...(is_starred !== undefined && { is_starred }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
  };
}
