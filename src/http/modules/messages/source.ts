// The message as it came: raw source and exports. Bytes stream from the store.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { MessageReader } from "../../../app/index.ts";
import { Message } from "../../../model/index.ts";
import type { Store } from "../../../store/index.ts";
import { attachmentPlainlyNamed } from "../../content-disposition.ts";
import { json } from "../../json.ts";
import { serveContent, UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { documented, type OperationSpec, problem } from "../../openapi/operation.ts";
import { CONDITIONS, MESSAGE_ID } from "../../openapi/parameters.ts";
import {
  DOWNLOAD_HEADERS,
  EXPORT_HEADERS,
  PARSED_HEADER,
  RANGE_HEADER,
} from "../../openapi/response-headers.ts";
import { NOT_MODIFIED, RANGE_OUTSIDE, UNKNOWN_MESSAGE } from "../../openapi/shared-responses.ts";
import { parsedHeader } from "../../parsed-header.ts";
import { known } from "../../problem.ts";
import { invalid, QueryString } from "../../query-string.ts";

const RAW = {
  "message/rfc822": {
    schema: Type.String({ description: "The bytes as received." }),
    example: "Subject: Your order\r\n\r\nThank you.\r\n",
  },
};

const PART_OF_RAW = {
  description: "The bytes asked for.",
  headers: { ...DOWNLOAD_HEADERS, ...RANGE_HEADER },
  content: RAW,
};

const CONTENT_RESPONSES = { ...NOT_MODIFIED, ...UNKNOWN_MESSAGE, ...RANGE_OUTSIDE };

const RAW_DOC: OperationSpec = {
  operationId: "getRawMessage",
  summary: "Raw source",
  description: "The RFC 822 bytes as received.",
  tags: ["Content"],
  parameters: [MESSAGE_ID, ...CONDITIONS],
  responses: {
    200: { description: "All bytes.", headers: DOWNLOAD_HEADERS, content: RAW },
    206: PART_OF_RAW,
    ...CONTENT_RESPONSES,
  },
};

const EXPORT_DOC: OperationSpec = {
  operationId: "exportMessage",
  summary: "Export as EML or JSON",
  description: "Range, If-Range and If-None-Match are for EML: the JSON has flags, which change.",
  tags: ["Content"],
  parameters: [
    MESSAGE_ID,
    {
      name: "format",
      in: "query",
      description: "`eml`: the bytes as received; `json`: the same object as getMessage.",
      schema: Type.Unsafe<"eml" | "json">({ type: "string", enum: ["eml", "json"], default: "eml" }),
    },
    ...CONDITIONS,
  ],
  responses: {
    200: {
      description: "The file.",
      headers: { ...EXPORT_HEADERS, ...PARSED_HEADER },
      content: { ...RAW, "application/json": { schema: Message } },
    },
    206: PART_OF_RAW,
    400: problem(
      "The format is neither eml nor json, or the URL is malformed.",
      invalid("format", "pdf", "eml or json"),
    ),
    ...CONTENT_RESPONSES,
  },
};

export interface SourceOptions {
  readonly store: Store;
  readonly reader: MessageReader;
}

export function source({ store, reader }: SourceOptions) {
  const serveRaw = async (request: Request, id: string) => {
    const raw = await known(id, store.raw(id));
    return serveContent(request, {
      tag: id,
      type: "message/rfc822",
      size: raw.size,
      disposition: attachmentPlainlyNamed(`${id}.eml`),
      open: (start, end) => raw.blob(start, end),
    });
  };
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get("/raw", ({ request, params: { id } }) => serveRaw(request, id), documented(RAW_DOC))
    .get(
      "/export",
      async ({ request, params: { id } }) => {
        const format = new QueryString(request.url).choice("format", ["eml", "json"]) ?? "eml";
        if (format === "eml") return serveRaw(request, id);
        const message = await known(id, reader.message(id));
        return json(message.found, {
          headers: {
            ...UNTRUSTED_HEADERS,
            ...parsedHeader(message),
            "content-disposition": attachmentPlainlyNamed(`${id}.json`),
          },
        });
      },
      documented(EXPORT_DOC),
    );
}
