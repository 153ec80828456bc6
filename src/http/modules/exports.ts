// The whole mailbox, or what matches, as one file; streamed.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { exportMbox, exportZip } from "../../app/index.ts";
import { streamOf } from "../../lib/generator-stream.ts";
import type { Store } from "../../store/index.ts";
import { attachmentPlainlyNamed } from "../content-disposition.ts";
import { readFilter } from "../filters.ts";
import { UNTRUSTED_HEADERS } from "../mail-content.ts";
import { documented, type OperationSpec } from "../openapi/operation.ts";
import { FILTERS } from "../openapi/parameters.ts";
import { EXPORT_ALL_HEADERS } from "../openapi/response-headers.ts";
import { BAD_PARAMETER } from "../openapi/shared-responses.ts";
import { QueryString } from "../query-string.ts";

const FORMATS = {
  mbox: { type: "application/mbox", write: exportMbox },
  zip: { type: "application/zip", write: exportZip },
} as const;

const EXPORT_ALL_DOC: OperationSpec = {
  operationId: "exportMessages",
  summary: "Export all messages, or those that match",
  description: "Oldest first. `zip` holds one `<id>.eml` for each message, its bytes as received.",
  tags: ["Content"],
  parameters: [
    {
      name: "format",
      in: "query",
      description: "The file's format.",
      schema: Type.Unsafe<"mbox" | "zip">({ type: "string", enum: ["mbox", "zip"], default: "mbox" }),
    },
    ...FILTERS,
  ],
  responses: {
    200: {
      description: "The file.",
      headers: EXPORT_ALL_HEADERS,
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
};

export interface ExportsOptions {
  readonly store: Store;
  readonly keepOpen: (request: Request) => void;
}

export function exports({ store, keepOpen }: ExportsOptions) {
  return new Elysia().get(
    "/api/v1/export",
    ({ request }) => {
      const query = new QueryString(request.url);
      const format = query.choice("format", ["mbox", "zip"]) ?? "mbox";
      const { type, write } = FORMATS[format];
      const content = write(store, readFilter(query));
      keepOpen(request);
      return new Response(streamOf(content), {
        headers: {
          ...UNTRUSTED_HEADERS,
          "cache-control": "no-store",
          "content-type": type,
          "content-disposition": attachmentPlainlyNamed(`mailkeep.${format}`),
        },
      });
    },
    documented(EXPORT_ALL_DOC),
  );
}
