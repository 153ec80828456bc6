// Attachments: their list, their content, and inline images by Content-ID.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { MessageReader } from "../../../app/index.ts";
import { percentDecoded } from "../../../lib/percent-decoding.ts";
import type { AttachmentPart } from "../../../mime/index.ts";
import { AttachmentList, Ulid } from "../../../model/index.ts";
import { cachedJson } from "../../cached-json.ts";
import { collect } from "../../collect.ts";
import { attachmentNamed } from "../../content-disposition.ts";
import { type MailContent, serveContent } from "../../mail-content.ts";
import { documented, jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import { CONDITIONS, IF_NONE_MATCH, MESSAGE_ID } from "../../openapi/parameters.ts";
import {
  CACHED_HEADERS,
  CONTENT_HEADERS,
  DOWNLOAD_HEADERS,
  PARSED_HEADER,
  RANGE_HEADER,
} from "../../openapi/response-headers.ts";
import {
  JSON_NOT_MODIFIED,
  NOT_MODIFIED,
  RANGE_OUTSIDE,
  UNKNOWN_MESSAGE,
} from "../../openapi/shared-responses.ts";
import { known, Problem } from "../../problem.ts";
import { SharedContent } from "../../shared-content.ts";
import { sliceStream } from "../../slice-stream.ts";

const bytes = (example: string) => ({
  "*/*": { schema: Type.String({ description: "The decoded bytes." }), example },
});
const FILE = bytes("item,price\r\n");
const IMAGE = bytes('<svg xmlns="http://www.w3.org/2000/svg"/>');
const UNKNOWN_ATTACHMENT = new Problem(
  404,
  "unknown_attachment",
  "The message has no attachment with this id.",
);
const UNKNOWN_CONTENT_ID = new Problem(
  404,
  "unknown_content_id",
  "The message has no part with this Content-ID.",
);
const OCTETS = "application/octet-stream";
/** More goes out in chunks, without its length, rather than through memory. */
const MAX_COLLECTED_BYTES = 40 * 1024 ** 2;

const LIST_DOC: OperationSpec = {
  operationId: "listAttachments",
  summary: "Attachment metadata",
  description: "Every part that is not the body, inline images included.",
  tags: ["Content"],
  parameters: [MESSAGE_ID, IF_NONE_MATCH],
  responses: {
    200: jsonAnswer("The attachments, in the order of the message.", AttachmentList, {
      ...CACHED_HEADERS,
      ...PARSED_HEADER,
    }),
    ...JSON_NOT_MODIFIED,
    ...UNKNOWN_MESSAGE,
  },
};

const DOWNLOAD_DOC: OperationSpec = {
  operationId: "getAttachment",
  summary: "Download an attachment",
  tags: ["Content"],
  parameters: [
    MESSAGE_ID,
    { name: "aid", in: "path", required: true, description: "The attachment's id.", schema: Ulid },
    ...CONDITIONS,
  ],
  responses: {
    200: {
      description: "The file, with its stored content type.",
      headers: DOWNLOAD_HEADERS,
      content: FILE,
    },
    206: {
      description: "The bytes asked for.",
      headers: { ...DOWNLOAD_HEADERS, ...RANGE_HEADER },
      content: FILE,
    },
    ...NOT_MODIFIED,
    404: problem("No message or attachment has this id.", UNKNOWN_ATTACHMENT),
    ...RANGE_OUTSIDE,
  },
};

const INLINE_DOC: OperationSpec = {
  operationId: "getInlineImage",
  summary: "Inline image by Content-ID",
  description: "Resolves `cid:` references. Types other than image/* are served as application/octet-stream.",
  tags: ["Content"],
  parameters: [
    MESSAGE_ID,
    {
      name: "cid",
      in: "path",
      required: true,
      description: "The Content-ID without angle brackets, percent-encoded.",
      schema: Type.String({ examples: ["logo@example.com"] }),
    },
    ...CONDITIONS,
  ],
  responses: {
    200: { description: "The image.", headers: CONTENT_HEADERS, content: IMAGE },
    206: {
      description: "The bytes asked for.",
      headers: { ...CONTENT_HEADERS, ...RANGE_HEADER },
      content: IMAGE,
    },
    ...NOT_MODIFIED,
    404: problem("No message has this id, or no part this Content-ID.", UNKNOWN_CONTENT_ID),
    ...RANGE_OUTSIDE,
  },
};

export function attachments({ reader }: { readonly reader: MessageReader }) {
  const partsOf = (id: string) => known(id, reader.attachments(id));
  const shared = new SharedContent();
  const serve = (request: Request, id: string, part: AttachmentPart, shown: Partial<MailContent>) => {
    const { id: tag, size, content_type } = part.attachment;
    return serveContent(request, {
      tag,
      size,
      type: headerSafe(content_type),
      open: async (start, end) => {
        // Opened at once, so that a message deleted meanwhile is a 404 and not a broken download.
        const slice = async () => sliceStream(await known(id, reader.open(id, part)), start, end);
        const bytes = end - start;
        if (bytes > MAX_COLLECTED_BYTES) return slice();
        return shared.get(`${tag} ${start}-${end}`, bytes, async () => collect(await slice(), bytes));
      },
      ...shown,
    });
  };
  const inline = async (request: Request, id: string, cid: string) => {
    const wanted = cid.replace(/^<(.*)>$/, "$1");
    const { found } = await partsOf(id);
    const part =
      found.find(({ contentId }) => contentId === wanted) ??
      // Some senders write it as it stands in their HTML, with "%20" for a space.
      found.find(({ contentId = "" }) => contentId !== "" && decoded(contentId) === wanted);
    if (!part) throw UNKNOWN_CONTENT_ID;
    const type = headerSafe(part.attachment.content_type);
    return serve(request, id, part, {
      type: /^image\//i.test(type) ? type : OCTETS,
      // In a sandboxed frame of somebody's own, a mail's origin is nobody's.
      headers: { "cross-origin-resource-policy": "cross-origin" },
    });
  };
  return new Elysia({ prefix: "/api/v1/messages/:id" })
    .get(
      "/attachments",
      async ({ request, params: { id } }) => {
        const { found, ...outcome } = await partsOf(id);
        const list: AttachmentList = { attachments: found.map(({ attachment }) => attachment) };
        return cachedJson(request, `${id}-attachments`, list, outcome);
      },
      documented(LIST_DOC),
    )
    .get(
      "/attachments/:aid",
      async ({ request, params: { id, aid } }) => {
        const part = (await partsOf(id)).found.find(({ attachment }) => attachment.id === aid);
        if (!part) throw UNKNOWN_ATTACHMENT;
        return serve(request, id, part, { disposition: attachmentNamed(part.attachment.filename) });
      },
      documented(DOWNLOAD_DOC),
    )
    .get(
      "/inline/:cid",
      ({ request, params: { id, cid } }) => inline(request, id, cid),
      documented(INLINE_DOC),
    )
    .get("/inline/*", ({ request, params: { id, "*": cid } }) => {
      // With slashes, as nginx decodes them where it takes a path off. The router decodes only what has none.
      return inline(request, id, decoded(cid));
    });
}

/** As it is where it is not encoded. */
const decoded = (text: string) => percentDecoded(text) ?? text;

/** A type that could break out of its header, or is none, is served as plain bytes. */
const headerSafe = (type: string) =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(type) ? type : OCTETS;
