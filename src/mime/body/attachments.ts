// The attachments of a message: every leaf that is not part of the body. None of this is stored: the ids
// follow from the message's id and the part's place.
import { RANDOM_CHARS, TIME_CHARS, ULID_DIGITS } from "../../lib/ulid.ts";
import type { Attachment } from "../../model/index.ts";
import { leavesOf, type MimePart, type MimeStructure } from "../structure.ts";

export interface AttachmentPart {
  readonly attachment: Attachment;
  readonly part: MimePart;
  /** Without angle brackets. */
  readonly contentId?: string;
}

/** A ULID with the message's time, its random part a digest: the same on every request and after every restart. */
function attachmentId(messageId: string, index: number): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${messageId}/${index}`).digest();
  const digits = Array.from(digest.subarray(0, RANDOM_CHARS), (octet) => ULID_DIGITS[octet & 31]);
  return messageId.slice(0, TIME_CHARS) + digits.join("");
}

export function listAttachments(messageId: string, structure: MimeStructure): AttachmentPart[] {
  return leavesOf(structure)
    .filter((part) => part.role === "attachment")
    .map((part, position) => ({
      attachment: {
        id: attachmentId(messageId, part.index),
        message_id: messageId,
        filename: attachmentName(part, position + 1),
        content_type: part.type,
        size: part.size,
      },
      part,
      ...(part.contentId === "" ? {} : { contentId: part.contentId }),
    }));
}

export async function sha256Of(content: ReadableStream<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of content) hasher.update(chunk);
  return hasher.digest("hex");
}

/** The names alone of the first ones, as they are listed. */
export const attachmentNames = (structure: MimeStructure, max: number): string[] =>
  leavesOf(structure)
    .filter((part) => part.role === "attachment")
    .slice(0, max)
    .map((part, position) => attachmentName(part, position + 1));

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/javascript": "js",
  "application/msword": "doc",
  "application/pgp-encrypted": "asc",
  "application/pgp-keys": "asc",
  "application/pgp-signature": "asc",
  "application/pkcs7-mime": "p7m",
  "application/pkcs7-signature": "p7s",
  "application/vnd.apple.pkpass": "pkpass",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/x-pkcs7-mime": "p7m",
  "application/x-pkcs7-signature": "p7s",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "image/jpeg": "jpg",
  "image/pjpeg": "jpg",
  "image/svg+xml": "svg",
  "image/vnd.microsoft.icon": "ico",
  "image/x-icon": "ico",
  "message/global": "eml",
  "message/rfc822": "eml",
  "text/calendar": "ics",
  "text/directory": "vcf",
  "text/javascript": "js",
  "text/markdown": "md",
  "text/vcard": "vcf",
  "text/x-amp-html": "html",
  "text/x-vcard": "vcf",
  "video/quicktime": "mov",
};
/** Types whose second half is the extension. */
const OWN_EXTENSION =
  /\/(?:x-)?(aac|apng|avif|bmp|css|csv|gif|heic|html|ics|jpg|json|mp4|mpeg|ogg|pdf|png|rtf|tar|tiff|wav|webm|webp|woff2?|xml|zip)$/;

function extensionFor(type: string): string {
  const known = EXTENSIONS[type] ?? OWN_EXTENSION.exec(type)?.[1];
  if (known) return known;
  if (/^(?:text|message)\//.test(type)) return "txt";
  return /\+(json|xml|zip)$/.exec(type)?.[1] ?? "bin";
}

/** Control characters would break headers, separators would leave a folder, bidi marks hide an extension. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function attachmentName(part: MimePart, position: number): string {
  const name = part.filename
    .replace(/[\t-\r]+/g, " ")
    .replace(UNSAFE, "")
    .replace(/[/\\]/g, "_")
    .trim();
  return /^\.*$/.test(name) ? `attachment-${position}.${extensionFor(part.type)}` : name;
}
