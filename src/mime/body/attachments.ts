// The attachments of a message: every leaf that is no part of the body. Nothing of them is stored;
// their ids follow from the message's id and the part's place.
import { ulidBeside } from "../../lib/ulid.ts";
import type { Attachment } from "../../model/index.ts";
import { leavesOf, type MimePart, type MimeStructure } from "../structure.ts";

export interface AttachmentPart {
  readonly attachment: Attachment;
  readonly part: MimePart;
  /** Without angle brackets. */
  readonly contentId?: string;
}

const digest = Buffer.alloc(32);

/** A ULID with the message's time, its random part a digest: the same on every request and after every restart. */
function attachmentId(messageId: string, index: number): string {
  Bun.SHA256.hash(`${messageId}/${index}`, digest);
  return ulidBeside(messageId, digest);
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

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/ics": "ics",
  "application/javascript": "js",
  "application/json": "json",
  "application/msword": "doc",
  "application/octet-stream": "bin",
  "application/pdf": "pdf",
  "application/pgp-encrypted": "asc",
  "application/pgp-keys": "asc",
  "application/pgp-signature": "asc",
  "application/pkcs7-mime": "p7m",
  "application/pkcs7-signature": "p7s",
  "application/rtf": "rtf",
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
  "application/x-tar": "tar",
  "application/xml": "xml",
  "application/zip": "zip",
  "audio/aac": "aac",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "image/apng": "apng",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/heic": "heic",
  "image/jpeg": "jpg",
  "image/jpg": "jpg",
  "image/pjpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/tiff": "tiff",
  "image/vnd.microsoft.icon": "ico",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "message/delivery-status": "txt",
  "message/disposition-notification": "txt",
  "message/feedback-report": "txt",
  "message/global": "eml",
  "message/global-delivery-status": "txt",
  "message/global-disposition-notification": "txt",
  "message/global-headers": "txt",
  "message/rfc822": "eml",
  "text/calendar": "ics",
  "text/css": "css",
  "text/csv": "csv",
  "text/directory": "vcf",
  "text/html": "html",
  "text/javascript": "js",
  "text/markdown": "md",
  "text/plain": "txt",
  "text/rfc822-headers": "txt",
  "text/rtf": "rtf",
  "text/vcard": "vcf",
  "text/x-amp-html": "html",
  "text/x-vcard": "vcf",
  "text/xml": "xml",
  "video/mp4": "mp4",
  "video/mpeg": "mpeg",
  "video/quicktime": "mov",
  "video/webm": "webm",
};

function extensionFor(type: string): string {
  const known = EXTENSIONS[type];
  if (known) return known;
  if (type.startsWith("text/")) return "txt";
  if (type.endsWith("+json")) return "json";
  if (type.endsWith("+xml")) return "xml";
  if (type.endsWith("+zip")) return "zip";
  return "bin";
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
