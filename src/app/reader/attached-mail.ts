// The HTML of a mail that is attached to another one. Routes exist only for the inline images of the outer mail, so
// those of the attached mail are put into its HTML as data URLs.
import { percentDecoded } from "../../lib/percent-decoding.ts";
import {
  type BodyParser,
  decodePart,
  type Findings,
  listAttachments,
  type MimeStructure,
  type SanitizedHtml,
  together,
} from "../../mime/index.ts";

/** Stands before a Content-ID until its image is there. */
const MARK = "image-of-attached-mail/";
const MARKED = new RegExp(`${MARK}([\\w.~!*%-]+)`, "g");
const IMAGE = /^image\/[\w.+-]+$/i;
/** A short reference may stand for a large image, and may be repeated many times. */
const MAX_IMAGE_CHARS = 16 * 1024 * 1024;

export async function attachedHtml(
  bytes: Uint8Array,
  structure: MimeStructure,
  remote: boolean,
  parser: BodyParser,
): Promise<Findings<SanitizedHtml>> {
  const source = { bytes: async (start: number, end: number) => bytes.subarray(start, end) };
  const bodies = await parser.parse(source, structure);
  const safe = await parser.sanitizeHtml(bodies.html_body, { inlineBase: MARK, remote });
  const images = await imagesOf(bytes, structure);
  let room = MAX_IMAGE_CHARS;
  const html = safe.found.html.replace(MARKED, (_, cid: string) => {
    const image = images.get(percentDecoded(cid) ?? cid) ?? "";
    room -= image.length;
    return room < 0 ? "" : image;
  });
  return { found: { ...safe.found, html }, ...together(bodies, safe) };
}

async function imagesOf(bytes: Uint8Array, structure: MimeStructure): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const { attachment, part, contentId } of listAttachments("", structure)) {
    if (contentId === undefined || !IMAGE.test(attachment.content_type)) continue;
    const content = decodePart(part.encoding, new Blob([bytes.slice(part.start, part.end)]).stream());
    const base64 = (await new Response(content).bytes()).toBase64();
    images.set(contentId, `data:${attachment.content_type};base64,${base64}`);
  }
  return images;
}
