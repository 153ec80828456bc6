// A MIME part: what its header says about its body (RFC 2045, RFC 2183), and its role: a container, part of the body,
// or an attachment. The role depends on its header, its place and the containers around it.
import { shortName } from "../lib/text.ts";
import { MAX_BOUNDARY_BYTES, trimOctetsEnd } from "./boundaries.ts";
import type { TransferEncoding } from "./decode/transfer.ts";
import type { RawField } from "./header/fields.ts";
import {
  MAX_STRUCTURED_CHARS,
  parseStructured,
  type StructuredValue,
  stripComments,
} from "./header/params.ts";
import { decodeHeaderText } from "./header/text.ts";

const MAX_FILENAME_CHARS = 1000;
/** A Content-ID is on one line, which RFC 5322 section 2.1.1 limits to 998 characters. */
const MAX_CONTENT_ID_CHARS = 1000;

export type Disposition = "inline" | "attachment" | "unknown" | null;

export interface PartDescription {
  /** In lower case; an invalid type is replaced by a valid one. Null if missing or without a slash. */
  readonly declaredType: string | null;
  readonly params: ReadonlyMap<string, string>;
  readonly encoding: TransferEncoding;
  readonly disposition: Disposition;
  /** Decoded, but not yet safe as the name of a file; "" if there is none. */
  readonly filename: string;
  /** Without angle brackets; "" if the part has no Content-ID. */
  readonly contentId: string;
}

export const DESCRIBING_FIELDS = [
  "content-type",
  "content-disposition",
  "content-transfer-encoding",
  "content-id",
] as const;

/** Names by RFC 6838 section 4.2. Some senders forget the ";" before the parameters. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?=$|[\s,:])/;
/** RFC 2045 allows white space around the slash. */
const SLASH = /\s{0,8}\/\s{0,8}/;
const OCTETS = "application/octet-stream";
const MAX_DISPOSITION_CHARS = 200;
const MAX_CONTENT_ID_OCTETS = 4 * MAX_CONTENT_ID_CHARS;
const UNSTRUCTURED: StructuredValue = { value: "", params: new Map() };

const firstValue = (fields: readonly RawField[], key: string) =>
  fields.find((field) => field.key === key)?.value;

const ENCODINGS = new Map<string, TransferEncoding>([
  ["base64", "base64"],
  ["quoted-printable", "quoted-printable"],
  ["uuencode", "uuencode"],
  ["x-uuencode", "uuencode"],
  ["x-uue", "uuencode"],
  ["uue", "uuencode"],
]);

function readEncoding(octets: string | undefined): TransferEncoding {
  if (octets === undefined) return "identity";
  // RFC 2045 section 6.1 allows neither quotes nor parameters, but some senders add quotes or a semicolon.
  const [named = ""] = stripComments(octets.slice(0, MAX_STRUCTURED_CHARS)).split(";", 1);
  return ENCODINGS.get(named.replaceAll('"', "").trim().toLowerCase()) ?? "identity";
}

function readDisposition(value: string): Disposition {
  if (value === "") return null;
  const disposition = decodeHeaderText(value.slice(0, MAX_DISPOSITION_CHARS));
  return disposition === "inline" || disposition === "attachment" ? disposition : "unknown";
}

function readType(value: string): string | null {
  if (value === "") return null;
  const type = MEDIA_TYPE.exec(value.replace(SLASH, "/"))?.[0];
  if (type !== undefined) return type;
  // Text and multiparts can be shown even if the subtype is broken.
  if (value.startsWith("multipart/")) return "multipart/mixed";
  if (value.startsWith("text/")) return value.startsWith("text/html") ? "text/html" : "text/plain";
  // RFC 2045 section 5.2: a value without a slash counts as none.
  return value.includes("/") ? OCTETS : null;
}

/** Some senders add white space or comments, others omit the brackets. Takes decoded text. */
function bareContentId(text: string): string {
  const trimmed = text.slice(0, MAX_CONTENT_ID_CHARS).trim();
  const id = trimmed.startsWith("(") ? stripComments(trimmed).trim() : trimmed;
  // Brackets may hold parentheses that are part of the id.
  const end = id.search(id.startsWith("<") ? />/ : />|\s\(/);
  return (end < 0 ? id : id.slice(0, end)).replace(/^<+/, "").trim();
}

export function describePart(fields: readonly RawField[]): PartDescription {
  const typeField = firstValue(fields, "content-type");
  const dispositionField = firstValue(fields, "content-disposition");
  const type = typeField === undefined ? UNSTRUCTURED : parseStructured(typeField);
  const disposition = dispositionField === undefined ? UNSTRUCTURED : parseStructured(dispositionField);
  const filename = disposition.params.get("filename") || type.params.get("name") || "";
  const id = firstValue(fields, "content-id");
  return {
    declaredType: readType(type.value),
    params: type.params,
    encoding: readEncoding(firstValue(fields, "content-transfer-encoding")),
    disposition: readDisposition(disposition.value),
    filename: shortName(filename, MAX_FILENAME_CHARS),
    contentId: id === undefined ? "" : bareContentId(decodeHeaderText(id.slice(0, MAX_CONTENT_ID_OCTETS))),
  };
}

export type PartRole = "multipart" | "text" | "html" | "attachment";

interface Container {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly alternative: number | null;
  readonly isBeginning: boolean;
}

export interface PartContext {
  readonly parent: Container | null;
  readonly isFirst: boolean;
}

/** Whether the mail begins with the part: all containers around it are first, too. */
export const isAtBeginning = ({ parent, isFirst }: PartContext): boolean =>
  isFirst && (parent === null || parent.isBeginning);

const isWithin = ({ parent }: PartContext, subtype: "alternative" | "related" | "mixed" | "digest") =>
  parent?.type === `multipart/${subtype}`;

/** Whether the part is the root of its container: the first part, or the one that `start` names (RFC 2387, 3.2). */
const isStart = ({ contentId }: PartDescription, { parent, isFirst }: PartContext) =>
  isFirst || (contentId !== "" && contentId === bareContentId(parent?.params.get("start") ?? ""));

/** An unknown disposition means an attachment (RFC 2183, 2.8), except where a body is expected. */
const isAttached = ({ disposition }: PartDescription, context: PartContext) =>
  disposition === "attachment" ||
  (disposition === "unknown" && !isAtBeginning(context) && !isWithin(context, "alternative"));

/** Whether other parts may refer to this part. They do not refer to the root of a container or to an alternative. */
const isReferenced = (part: PartDescription, context: PartContext) =>
  part.contentId !== "" && !isWithin(context, "alternative") && !isStart(part, context);

/**
 * Whether the part is a version of the body: the beginning of the mail, a part of a multipart/alternative, or the root
 * of a multipart/related or of a container inside an alternative.
 */
const isVersion = (part: PartDescription, context: PartContext) =>
  isAtBeginning(context) ||
  isWithin(context, "alternative") ||
  ((context.parent?.alternative != null || isWithin(context, "related")) && isStart(part, context));

/** The declared type, or a default (RFC 2045 section 5.2, RFC 2046 section 5.1.5). Untyped files are octet streams. */
export function effectiveType(part: PartDescription, context: PartContext): string {
  if (part.declaredType !== null) return part.declaredType;
  if (isAttached(part, context)) return OCTETS;
  if (part.filename !== "" && context.parent !== null) return OCTETS;
  if (isWithin(context, "digest")) return "message/rfc822";
  return isReferenced(part, context) ? OCTETS : "text/plain";
}

/** Text made for programs is more useful as a file. */
const FOR_PROGRAMS =
  /^text\/(?:(?:x-v)?calendar|(?:x-)?csv|(?:comma|tab)-separated-values|(?:x-)?vcard|directory|rfc822-headers|rtf|xml|css|javascript)$/;

/**
 * RFC 2046 section 4.1.4: other text without a file name, such as Markdown, is shown as plain text if it is the whole
 * mail, or the first part of a multipart/mixed.
 */
const isOtherText = (type: string, { filename }: PartDescription, context: PartContext) =>
  (context.parent === null || (context.isFirst && isWithin(context, "mixed"))) &&
  filename === "" &&
  type.startsWith("text/") &&
  !FOR_PROGRAMS.test(type);

function bodyKind(type: string, part: PartDescription, context: PartContext): "text" | "html" | undefined {
  if (type === "text/html") return "html";
  return type === "text/plain" || isOtherText(type, part, context) ? "text" : undefined;
}

/** As in delimiter lines, one character for each octet. Null if there is no usable boundary. */
export function usableBoundary(part: PartDescription): string | null {
  const boundary = part.params.get("boundary");
  if (!boundary || boundary.length > MAX_BOUNDARY_BYTES) return null;
  return trimOctetsEnd(Buffer.from(boundary).toString("latin1")) || null;
}

/** A multipart without a usable boundary is treated as plain text; one that is nested too deep is an attachment. */
export function partRole(
  part: PartDescription,
  type: string,
  context: PartContext,
  canDescend: boolean,
): PartRole {
  const isMultipart = type.startsWith("multipart/");
  if (isMultipart && usableBoundary(part) !== null) return canDescend ? "multipart" : "attachment";
  const body = isMultipart ? "text" : bodyKind(type, part, context);
  if (body === undefined || isAttached(part, context)) return "attachment";
  // Outside of a multipart/related, text with a Content-ID may be body: some senders give every
  // part an id.
  if (isWithin(context, "related") && isReferenced(part, context)) return "attachment";
  const isFile = part.filename !== "" && !isVersion(part, context);
  return isFile ? "attachment" : body;
}
