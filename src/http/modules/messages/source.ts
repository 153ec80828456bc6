// Raw messages and exports, of one or many. Bytes are streamed from the store.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { exportMbox, exportZip } from "../../../app/index.ts";
import { streamOf } from "../../../lib/generator-stream.ts";
import { Message } from "../../../model/index.ts";
import { attachmentPlainlyNamed } from "../../content-disposition.ts";
import { FILTERS, filterOf } from "../../filters.ts";
import { json } from "../../json.ts";
import { parsedHeader, serveRaw, UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { operation } from "../../openapi/operation.ts";
import {
  always,
  BAD_PARAMETER,
  contentAnswers,
  EXPORT_HEADERS,
  FILE_NAME,
  NO_STORE,
  problem,
  UNKNOWN_MESSAGE,
  UNTRUSTED,
} from "../../openapi/responses.ts";
import { choice, invalid, query, withDefault } from "../../parameters.ts";
import { known } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const BYTES = {
  "message/rfc822": {
    schema: Type.String({ description: "The bytes as received." }),
    example: "Subject: Your order\r\n\r\nThank you.\r\n",
  },
};

const RAW_ANSWERS = { ...contentAnswers("All bytes.", BYTES, FILE_NAME), ...UNKNOWN_MESSAGE };

const RAW = operation({
  operationId: "getRawMessage",
  summary: "Raw source",
  description: "The RFC 822 bytes as received.",
  tags: ["Content"],
  responses: RAW_ANSWERS,
});

const EXPORT = operation({
  operationId: "exportMessage",
  summary: "Export as EML or JSON",
  description: "Range, If-Range and If-None-Match are for EML: the JSON has flags, which change.",
  tags: ["Content"],
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
      headers: EXPORT_HEADERS,
      content: { ...BYTES, "application/json": { schema: Message } },
    },
    400: problem(
      "The format is neither eml nor json, or the URL is malformed.",
      invalid("format", "pdf", "eml or json"),
    ),
  },
});

const FORMATS = {
  mbox: { type: "application/mbox", write: exportMbox },
  zip: { type: "application/zip", write: exportZip },
} as const;

const EXPORT_ALL = operation({
  operationId: "exportMessages",
  summary: "Export all messages, or those that match",
  description: "Oldest first. `zip` holds one `<id>.eml` for each message, its bytes as received.",
  tags: ["Content"],
  query: query({
    format: withDefault("mbox", choice(["mbox", "zip"], "The file's format.")),
    ...FILTERS,
  }),
  responses: {
    200: {
      description: "The file.",
      headers: {
        ...UNTRUSTED,
        ...NO_STORE,
        "Content-Disposition": always("The file's name.", 'attachment; filename="mailkeep.mbox"'),
      },
      content: {
        "application/mbox": {
          schema: Type.String(),
          example: "From shop@example.com Sat Nov 14 10:00:00 2026\nSubject: Your order\n\nThank you.\n\n",
        },
        "application/zip": { schema: Type.String() },
      },
    },
    ...BAD_PARAMETER,
  },
});

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

export function source({ mailOf, reader, keepOpen }: Pick<Dependencies, "mailOf" | "reader" | "keepOpen">) {
  const serve = (request: Request, id: string) => serveRaw(request, mailOf(request), id);
  return new Elysia({ prefix: "/api/v1" })
    .get("/messages/:id/raw", ({ request, params: { id } }) => serve(request, id), RAW)
    .get(
      "/messages/:id/export",
      async ({ request, params: { id }, query: { format } }) => {
        if (format === "eml") return serve(request, id);
        const message = await known(id, reader.message(id));
        return json(message.found, {
          headers: {
            ...UNTRUSTED_HEADERS,
            ...parsedHeader(message),
            "content-disposition": attachmentPlainlyNamed(`${id}.json`),
          },
        });
      },
      EXPORT,
    )
    .get(
      "/export",
      async ({ request, query: { format, ...filters }, set }) => {
        const { type, write } = FORMATS[format];
        const content = write(mailOf(request), filterOf(filters, set.headers));
        keepOpen(request);
        // An error of the store can only become a status before the answer has begun.
        const first = await content.next();
        return new Response(streamOf(resumed(first, content)), {
          headers: {
            ...UNTRUSTED_HEADERS,
            "cache-control": "no-store",
            "content-type": type,
            "content-disposition": attachmentPlainlyNamed(`mailkeep.${format}`),
          },
        });
      },
      EXPORT_ALL,
    );
}
