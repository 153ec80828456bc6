// One message: read it whole, change its flags, delete it.
import type { MessageReader } from "../../../app/index.ts";
import { Message, type MessageChange, MessageChangeRequest, MessageSummary } from "../../../model/index.ts";
import { foundOf } from "../../mail-content.ts";
import { operation, route, routes } from "../../openapi/operation.ts";
import { FRESH, jsonAnswer, NO_STORE } from "../../openapi/responses.ts";
import { choice, count, query } from "../../parameters.ts";
import { unknownMessage } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

export const INCLUDE_PREVIEW = choice(
  ["preview"],
  "`preview` adds the From header, the first words of the text and the header `X-Mailkeep-Run`.",
);

export const BODY_CHARS = count("Characters of each body at most; all of them unless given.");

const GET = operation("GET /api/v1/messages/:id", "read", "Messages", {
  operationId: "getMessage",
  summary: "Get one message with its bodies",
  query: query({ include: INCLUDE_PREVIEW, body_chars: BODY_CHARS }),
  responses: { 200: jsonAnswer("The message.", Message, FRESH) },
});

const PATCH = operation("PATCH /api/v1/messages/:id", "write", "Messages", {
  operationId: "updateMessage",
  summary: "Change is_read, is_starred or tags",
  description: "Absent fields stay as they are; unknown ones are ignored. Tags are replaced as a whole.",
  body: MessageChangeRequest,
  responses: { 200: jsonAnswer("The message after the change.", MessageSummary) },
});

const DELETE = operation("DELETE /api/v1/messages/:id", "write", "Messages", {
  operationId: "deleteMessage",
  summary: "Delete one message",
  description: "Needs no body. If the body is not JSON, the request is refused and nothing is deleted.",
  responses: { 204: { description: "It is gone.", headers: NO_STORE } },
});

export function message({ mailOf, reader }: Pick<Dependencies, "mailOf" | "reader">) {
  return routes(
    route(GET, async ({ params: { id }, query: { include, body_chars }, set }): Promise<Message> => {
      const message = await foundOf(id, reader.message(id), set.headers);
      const found = withBodyChars(message, body_chars);
      return include ? withPreview(found, reader) : found;
    }),
    route(PATCH, async ({ request, params: { id }, body }): Promise<MessageSummary> => {
      const [changed] = await mailOf(request).update([id], changeOf(body));
      if (!changed) throw unknownMessage(id);
      return changed;
    }),
    route(DELETE, async ({ request, params: { id } }) => {
      const [deleted] = await mailOf(request).delete([id]);
      if (deleted === undefined) throw unknownMessage(id);
    }),
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
