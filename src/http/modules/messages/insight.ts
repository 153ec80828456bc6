// What a person or a test reads out of a message: headers, text, safe HTML, authentication results.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { MessageReader } from "../../../app/index.ts";
import { HeaderList } from "../../../model/index.ts";
import { cachedJson } from "../../cached-json.ts";
import { UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { documented, jsonAnswer, type OperationSpec, problems } from "../../openapi/operation.ts";
import { MESSAGE_ID } from "../../openapi/parameters.ts";
import { CACHED_HEADERS, NO_STORE_HEADER } from "../../openapi/response-headers.ts";
import { unknownMessage } from "../../problem.ts";

const UNKNOWN = problems({ 404: "No message has this id." });
const NOT_MODIFIED = { description: "What the client has is current." };

const HEADERS_DOC: OperationSpec = {
  operationId: "getMessageHeaders",
  summary: "All headers, unfolded and decoded",
  tags: ["Content"],
  parameters: [MESSAGE_ID],
  responses: {
    200: jsonAnswer("The headers in order, duplicates kept.", HeaderList, CACHED_HEADERS),
    304: NOT_MODIFIED,
    ...UNKNOWN,
  },
};

const TEXT_DOC: OperationSpec = {
  operationId: "getMessageText",
  summary: "The text body alone",
  tags: ["Content"],
  parameters: [MESSAGE_ID],
  responses: {
    200: {
      description: "The text part, or text derived from the HTML part.",
      headers: NO_STORE_HEADER,
      content: { "text/plain": { schema: Type.String() } },
    },
    ...UNKNOWN,
  },
};

export function insight({ reader }: { readonly reader: MessageReader }) {
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "/headers",
      async ({ request, params: { id } }) => {
        const headers = await reader.headers(id);
        if (!headers) throw unknownMessage(id);
        return cachedJson(request, `${id}-headers`, { headers } satisfies HeaderList);
      },
      documented(HEADERS_DOC),
    )
    .get(
      "/text",
      async ({ params: { id } }) => {
        const message = await reader.message(id);
        if (!message) throw unknownMessage(id);
        return new Response(message.text_body, {
          headers: {
            ...UNTRUSTED_HEADERS,
            "cache-control": "no-store",
            "content-type": "text/plain; charset=utf-8",
          },
        });
      },
      documented(TEXT_DOC),
    );
}
