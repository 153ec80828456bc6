// The attachments of a message: every leaf that is not part of the body. Their ids are not stored, but made from the
// message's id and the part's index.
import { CONTROL } from "../../lib/text.ts";
import { RANDOM_CHARS, TIME_CHARS, ULID_DIGITS } from "../../lib/ulid.ts";
import type { Attachment } from "../../model/index.ts";
import { leavesOf, type MimePart, type MimeStructure } from "../structure.ts";

export interface AttachmentPart {
  readonly attachment: Attachment;
  readonly part: MimePart;
  readonly contentId?: string;
}

/** A ULID with the message's time and a digest instead of randomness, so that it is always the same. */
function attachmentId(messageId: string, index: number): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${messageId}/${index}`).digest();
  const digits = Array.from(digest.subarray(0, RANDOM_CHARS), (octet) => ULID_DIGITS[octet & 31]);
  return messageId.slice(0, TIME_CHARS) + digits.join("");
}

const attachedIn = (structure: MimeStructure) =>
  leavesOf(structure).filter(({ role }) => role === "attachment");

export const listAttachments = (messageId: string, structure: MimeStructure): AttachmentPart[] =>
  attachedIn(structure).map((part, position) => ({
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

export type DigestAlgorithm = "md5" | "sha1" | "sha256";

export async function digestOf(content: ReadableStream<Uint8Array>, algorithm: DigestAlgorithm) {
  const hasher = new Bun.CryptoHasher(algorithm);
  for await (const chunk of content) hasher.update(chunk);
  return hasher.digest("hex");
}

export const attachmentNames = (structure: MimeStructure, max: number): string[] =>
  attachedIn(structure)
    .slice(0, max)
    .map((part, position) => attachmentName(part, position + 1));

const EXTENSIONS: readonly [extension: string, type: RegExp][] = [
  ["asc", /\/pgp-(?:encrypted|keys|signature)$/],
  ["doc", /\/msword$/],
  ["docx", /\.wordprocessingml\.document$/],
  ["eml", /^message\/(?:global|rfc822)$/],
  ["gz", /\/gzip$/],
  ["html", /\/x-amp-html$/],
  ["ico", /^image\/(?:vnd\.microsoft\.|x-)icon$/],
  ["ics", /^text\/calendar$/],
  ["jpg", /^image\/p?jpeg$/],
  ["js", /\/javascript$/],
  ["m4a", /^audio\/mp4$/],
  ["md", /^text\/markdown$/],
  ["mov", /^video\/quicktime$/],
  ["mp3", /^audio\/mpeg$/],
  ["ods", /\.opendocument\.spreadsheet$/],
  ["odt", /\.opendocument\.text$/],
  ["p7m", /\/(?:x-)?pkcs7-mime$/],
  ["p7s", /\/(?:x-)?pkcs7-signature$/],
  ["pkpass", /\.apple\.pkpass$/],
  ["ppt", /\.ms-powerpoint$/],
  ["pptx", /\.presentationml\.presentation$/],
  ["svg", /^image\/svg\+xml$/],
  ["vcf", /^text\/(?:directory|(?:x-)?vcard)$/],
  ["xls", /\.ms-excel$/],
  ["xlsx", /\.spreadsheetml\.sheet$/],
];
/** Types whose subtype is the extension. */
const OWN_EXTENSION =
  /\/(?:x-)?(aac|apng|avif|bmp|css|csv|gif|heic|html|ics|jpg|json|mp4|mpeg|ogg|pdf|png|rtf|tar|tiff|wav|webm|webp|woff2?|xml|zip)$/;

function extensionFor(type: string): string {
  const known = EXTENSIONS.find(([, types]) => types.test(type))?.[0] ?? OWN_EXTENSION.exec(type)?.[1];
  if (known) return known;
  if (/^(?:text|message)\//.test(type)) return "txt";
  return /\+(json|xml|zip)$/.exec(type)?.[1] ?? "bin";
}

function attachmentName(part: MimePart, position: number): string {
  const name = part.filename
    .replace(/[\t-\r]+/g, " ")
    // Control characters would break headers, and marks of direction can hide an extension.
    .replace(CONTROL, "")
    .replace(/[/\\]/g, "_")
    .trim();
  return /^\.*$/.test(name) ? `attachment-${position}.${extensionFor(part.type)}` : name;
}
