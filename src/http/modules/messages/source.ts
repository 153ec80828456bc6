// Raw messages, and exports of one or many. Bytes are streamed from the store.
import { Type } from "@sinclair/typebox";
import { exportMbox, exportZip } from "../../../app/index.ts";
import { streamOf } from "../../../lib/runtime.ts";
import { Message } from "../../../model/index.ts";
import { FILTERS, filterOf } from "../../filters.ts";
import {
  attachmentPlainlyNamed,
  download,
  foundOf,
  serveRaw,
  UNTRUSTED_HEADERS,
} from "../../mail-content.ts";
import { route, routes } from "../../openapi/operation.ts";
import { CONTENT, contentAnswers, downloadAnswer, FILE_NAME, PARSED } from "../../openapi/responses.ts";
import { choice, query, withDefault } from "../../parameters.ts";
import type { Dependencies } from "../dependencies.ts";

const BYTES = {
  "message/rfc822": {
    schema: Type.String({ format: "binary", description: "The bytes as received." }),
    example: "Subject: Your order\r\n\r\nThank you.\r\n",
  },
};

const RAW_ANSWERS = contentAnswers("All bytes.", BYTES, FILE_NAME);

const FORMATS = {
  mbox: { type: "application/mbox", write: exportMbox },
  zip: { type: "application/zip", write: exportZip },
} as const;

async function* resumed(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

export function source({ mailOf, reader }: Dependencies) {
  const serve = (request: Request, id: string) => serveRaw(request, mailOf(request), id);
  return routes(
    "Content",
    route("getRawMessage", "GET /api/v1/messages/:id/raw", "read", {
      summary: "Raw source",
      description: "The RFC 822 bytes as received.",
      responses: RAW_ANSWERS,
      answer: ({ request, params: { id } }) => serve(request, id),
    }),
    route("exportMessage", "GET /api/v1/messages/:id/export", "read", {
      summary: "Export as EML or JSON",
      description: "Range, If-Range and If-None-Match are for EML: the JSON has flags, which change.",
      query: query({
        format: withDefault(
          "eml",
          choice(["eml", "json"], "`eml`: the bytes as received; `json`: the same object as getMessage."),
        ),
      }),
      responses: {
        ...RAW_ANSWERS,
        200: {
          description: "The file.",
          headers: { ...CONTENT, ...FILE_NAME, ...PARSED },
          content: { ...BYTES, "application/json": { schema: Message } },
        },
      },
      answer: async ({ request, params: { id }, query: { format }, set }) => {
        if (format === "eml") return serve(request, id);
        const message = await foundOf(id, reader.message(id), set.headers);
        const disposition = { "content-disposition": attachmentPlainlyNamed(`${id}.json`) };
        Object.assign(set.headers, UNTRUSTED_HEADERS, disposition);
        return message;
      },
    }),
    route("exportMessages", "GET /api/v1/export", "read", {
      summary: "Export all messages, or those that match",
      description: "Oldest first. `zip` holds one `<id>.eml` for each message, its bytes as received.",
      query: query({
        format: withDefault("mbox", choice(["mbox", "zip"], "The file's format.")),
        ...FILTERS,
      }),
      responses: {
        200: downloadAnswer({
          "application/mbox": {
            schema: Type.String({ format: "binary" }),
            example: "From shop@example.com Sat Nov 14 10:00:00 2026\nSubject: Your order\n\nThank you.\n\n",
          },
          "application/zip": { schema: Type.String({ format: "binary" }) },
        }),
      },
      answer: async ({ request, query: { format, ...filters }, set }) => {
        const { type, write } = FORMATS[format];
        const content = write(mailOf(request), filterOf(filters, set.headers));
        // An error of the store can only become a status before the answer has begun.
        const first = await content.next();
        return download(streamOf(resumed(first, content)), type, `mailkeep.${format}`);
      },
    }),
  );
}
