// What the header fields of one MIME part say about its body (RFC 2045, RFC 2183).
import { shortName } from "../lib/short-name.ts";
import type { RawField } from "./header/header-block.ts";
import { parseStructured, type StructuredValue, stripComments } from "./header/header-params.ts";
import { decodeHeaderText } from "./header/header-text.ts";
import { MAX_CONTENT_ID_CHARS, MAX_FILENAME_CHARS, MAX_STRUCTURED_CHARS } from "./limits.ts";

export type TransferEncoding = "base64" | "quoted-printable" | "identity";
export type Disposition = "inline" | "attachment" | null;

export interface PartDescription {
  /** `type/subtype` in lower case, octets for one that no header could carry; null when the part names none. */
  readonly declaredType: string | null;
  readonly params: ReadonlyMap<string, string>;
  readonly encoding: TransferEncoding;
  /** Anything but "inline" counts as attachment, as RFC 2183 section 2.8 asks. */
  readonly disposition: Disposition;
  /** Decoded, not yet made safe; "" when there is none. */
  readonly filename: string;
  /** Without angle brackets; "" when there is none. */
  readonly contentId: string;
}

/** The fields `describePart` looks at. */
export const DESCRIBING_FIELDS = [
  "content-type",
  "content-disposition",
  "content-transfer-encoding",
  "content-id",
] as const;

/** Names by RFC 6838 section 4.2. Some senders forget the ";" before the parameters. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?=$|[\s,:])/;
/** RFC 2045 lets white space stand around it, as in every structured field of that time. */
const SLASH = /\s{0,8}\/\s{0,8}/;
export const OCTETS = "application/octet-stream";
/** Nothing longer decodes to "inline" in earnest. */
const MAX_DISPOSITION_CHARS = 200;
/** Octets of a Content-ID before it is decoded: encoded words take several for one character. */
const MAX_CONTENT_ID_OCTETS = 4 * MAX_CONTENT_ID_CHARS;
const NO_PARAMS: ReadonlyMap<string, string> = new Map();
const UNSTRUCTURED: StructuredValue = { value: "", params: NO_PARAMS };

const firstValue = (fields: readonly RawField[], key: string) =>
  fields.find((field) => field.key === key)?.value;

function readEncoding(octets: string | undefined): TransferEncoding {
  if (octets === undefined) return "identity";
  // There are no parameters (RFC 2045 section 6.1), but some senders end it like a field that has them.
  const [named = ""] = stripComments(octets.slice(0, MAX_STRUCTURED_CHARS)).split(";", 1);
  const token = named.trim().toLowerCase();
  return token === "base64" || token === "quoted-printable" ? token : "identity";
}

function readDisposition(value: string): Disposition {
  if (value === "") return null;
  return decodeHeaderText(value.slice(0, MAX_DISPOSITION_CHARS)) === "inline" ? "inline" : "attachment";
}

function readType(value: string): string | null {
  const type = MEDIA_TYPE.exec(value.replace(SLASH, "/"))?.[0];
  if (type !== undefined) return type;
  // RFC 2045 section 5.2: a value that is not even the shape of a type counts as none.
  return value.includes("/") ? OCTETS : null;
}

/** Written with white space or comments by some, without brackets by others. Takes decoded text. */
export function bareContentId(text: string): string {
  const trimmed = text.slice(0, MAX_CONTENT_ID_CHARS).trim();
  const id = trimmed.startsWith("(") ? stripComments(trimmed).trim() : trimmed;
  // Brackets may hold parentheses that are part of the id.
  const end = id.search(id.startsWith("<") ? />/ : />|\s\(/);
  return (end < 0 ? id : id.slice(0, end)).replace(/^<+/, "").trim();
}

const isDescribing = ({ key }: RawField) => key.startsWith("content-");

/** What a part is that says nothing of itself. */
const UNDESCRIBED: PartDescription = {
  declaredType: null,
  params: NO_PARAMS,
  encoding: "identity",
  disposition: null,
  filename: "",
  contentId: "",
};

export function describePart(fields: readonly RawField[]): PartDescription {
  if (!fields.some(isDescribing)) return UNDESCRIBED;
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
