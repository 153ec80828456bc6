// Attachments: their list, their content, a zip of all, and inline images by Content-ID.
import { Type } from "@sinclair/typebox";
import { decodeTime } from "ulid";
import { type ZipEntry, zip } from "../../../app/index.ts";
import { streamOf } from "../../../lib/runtime.ts";
import { percentDecoded } from "../../../lib/text.ts";
import type { AttachmentPart } from "../../../mime/index.ts";
import { type Attachment, AttachmentList } from "../../../model/index.ts";
import {
  attachmentNamed,
  cachedJson,
  download,
  type MailContent,
  safeName,
  serveContent,
} from "../../mail-content.ts";
import { route, routes } from "../../openapi/operation.ts";
import {
  cachedAnswers,
  contentAnswers,
  downloadAnswer,
  FILE_NAME,
  PARSED,
  problem,
} from "../../openapi/responses.ts";
import { choice, query } from "../../parameters.ts";
import { known, notFound } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const bytes = (example: string) => ({
  "*/*": { schema: Type.String({ format: "binary", description: "The decoded bytes." }), example },
});
const FILE = bytes("item,price\r\n");
const IMAGE = bytes('<svg xmlns="http://www.w3.org/2000/svg"/>');
const UNKNOWN_ATTACHMENT = notFound("unknown_attachment", "The message has no attachment with this id.");
const UNKNOWN_CONTENT_ID = notFound("unknown_content_id", "The message has no part with this Content-ID.");
const OCTETS = "application/octet-stream";
/** Larger content is sent in chunks, without its length, to save memory. */
const MAX_COLLECTED_BYTES = 40 * 1024 ** 2;

export function attachments({ reader }: Dependencies) {
  const partsOf = (id: string) => known(id, reader.attachments(id));
  async function* zipEntries(
    id: string,
    created: Date,
    parts: readonly AttachmentPart[],
  ): AsyncGenerator<ZipEntry> {
    const taken = new Set<string>();
    for (const part of parts) {
      const stream = () => streamOf(pieces(() => known(id, reader.open(id, part))));
      yield {
        name: freeName(safeName(part.attachment.filename), taken),
        time: created,
        size: part.attachment.size,
        bytes: () => new Response(stream()).bytes(),
        stream,
      };
    }
  }
  return routes(
    "Content",
    route("listAttachments", "GET /api/v1/messages/:id/attachments", "read", {
      summary: "Attachment metadata",
      description: "Every part that is not the body, inline images included.",
      query: query({
        include: choice(["sha256"], "`sha256` adds the digest of each attachment's content."),
      }),
      responses: cachedAnswers("The attachments, in the order of the message.", AttachmentList),
      answer: async ({ request, params: { id }, query: { include } }) => {
        const { found, ...outcome } = await partsOf(id);
        const attachments: Attachment[] = [];
        for (const part of found) {
          const digest = include && { sha256: await known(id, reader.digest(id, part, "sha256")) };
          attachments.push({ ...part.attachment, ...digest });
        }
        const tag = `${id}-${include ?? "attachments"}`;
        return cachedJson(request, tag, { attachments } satisfies AttachmentList, outcome);
      },
    }),
    route("getAttachment", "GET /api/v1/messages/:id/attachments/:aid", "read", {
      summary: "Download an attachment",
      responses: {
        ...contentAnswers("The file, with its stored content type.", FILE, FILE_NAME),
        ...problem("No message or attachment has this id.", UNKNOWN_ATTACHMENT),
      },
      answer: async ({ request, params: { id, aid } }) => {
        const part = await attachmentPart(reader, id, aid);
        return serveAttachment(request, reader, id, part, {
          disposition: attachmentNamed(part.attachment.filename),
        });
      },
    }),
    route("downloadAttachments", "GET /api/v1/messages/:id/attachments.zip", "read", {
      summary: "Download all attachments as a zip file",
      description: "Inline images included. Of files with the same name, the later ones get a number.",
      responses: {
        200: downloadAnswer({ "application/zip": { schema: Type.String({ format: "binary" }) } }, PARSED),
      },
      answer: async ({ params: { id } }) => {
        const { found, ...outcome } = await partsOf(id);
        const content = streamOf(zip(zipEntries(id, new Date(decodeTime(id)), found)));
        return download(content, "application/zip", `${id}.zip`, outcome);
      },
    }),
    // The Content-ID is the rest of the path, because nginx decodes its slashes when it removes a prefix.
    route("getInlineImage", "GET /api/v1/messages/:id/inline/*", "read", {
      summary: "Inline image by Content-ID",
      description:
        "Resolves `cid:` references. Types other than image/* are served as application/octet-stream.",
      responses: {
        ...contentAnswers("The image.", IMAGE),
        ...problem("No message has this id, or no part this Content-ID.", UNKNOWN_CONTENT_ID),
      },
      answer: async ({ request, params: { id, "*": cid } }) => {
        const wanted = decoded(cid).replace(/^<(.*)>$/, "$1");
        const { found } = await partsOf(id);
        const part =
          found.find(({ contentId }) => contentId === wanted) ??
          // Some senders write the Content-ID percent-encoded, as in their HTML.
          found.find(({ contentId = "" }) => contentId !== "" && decoded(contentId) === wanted);
        if (!part) throw UNKNOWN_CONTENT_ID;
        const type = part.attachment.content_type;
        return serveAttachment(request, reader, id, part, {
          type: /^image\//i.test(type) ? type : OCTETS,
          // If a frame is sandboxed without `allow-same-origin`, it has no origin, and its images need this header.
          headers: { "cross-origin-resource-policy": "cross-origin" },
        });
      },
    }),
  );
}

export async function attachmentPart(reader: Dependencies["reader"], id: string, aid: string) {
  const { found } = await known(id, reader.attachments(id));
  const part = found.find(({ attachment }) => attachment.id === aid);
  if (!part) throw UNKNOWN_ATTACHMENT;
  return part;
}

export function serveAttachment(
  request: Request,
  reader: Dependencies["reader"],
  id: string,
  part: AttachmentPart,
  shown: Partial<MailContent>,
): Promise<Response> {
  const { id: tag, size, content_type } = part.attachment;
  return serveContent(request, {
    tag,
    size,
    type: content_type,
    open: async (start, end) => {
      // Opens the part before the answer begins, so that a deleted message gives a 404.
      const slice = streamOf(sliceOf(await known(id, reader.open(id, part)), start, end));
      return end - start > MAX_COLLECTED_BYTES ? slice : new Response(slice).blob();
    },
    ...shown,
  });
}

async function* pieces(open: () => Promise<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array> {
  yield* await open();
}

/** Adds a number to a name that is taken. On some systems names that differ only in case are the same file. */
function freeName(name: string, taken: Set<string>): string {
  const [, stem = "", extension = ""] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${stem} (${number})${extension}`;
  taken.add(free.toLowerCase());
  return free;
}

async function* sliceOf(
  source: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
    position += chunk.length;
    if (piece.length > 0) yield piece;
    if (position >= end) return;
  }
}

const decoded = (text: string) => percentDecoded(text) ?? text;
