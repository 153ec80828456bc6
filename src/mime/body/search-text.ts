// The searchable text of a message: its body as a reader sees it, its people, file names and header fields, each up to
// a limit.
import { isSearchedHeader } from "../../query/index.ts";
import { MAX_ADDRESSES_CHARS } from "../header/addresses.ts";
import { type RawField, readFieldText } from "../header/fields.ts";
import { decodeHeaderText } from "../header/text.ts";
import { htmlToText } from "../html/text.ts";
import { type MimeStructure, startStructureScan } from "../structure.ts";
import { attachmentNames } from "./attachments.ts";
import { type BodyPart, bodyParts, decodeBody, decodeWords } from "./bodies.ts";

const MAX_SEARCHED_CHARS = 1_048_576;
/** Enough for all searchable text, unless the mail is mostly markup. */
const MAX_DECODED_BYTES = 8 << 20;
/** The limit for tags, attributes, comments and texts in HTML: more would delay searches. */
const MAX_HTML_TOKENS = 150_000;
/** Each part may name a file with many encoded words, which take long to decode. */
const MAX_SEARCHED_PARTS = 300;
const MAX_SEARCHED_NAMES = 100;
const MAX_NAMES_CHARS = 16_384;
const MAX_SEARCHED_FIELDS = 64;
const MAX_FIELDS_CHARS = 4096;

/** Fields added in transit: found only if the search names the field. */
const TRACE = new Set("received x-received received-spf return-path authentication-results".split(" "));

const isTrace = (name: string) => TRACE.has(name) || name.startsWith("arc-") || isSeal(name);

/** Signatures: nobody searches for their values, so only the names of the fields are indexed. */
const isSeal = (name: string) => name.endsWith("-signature") || name === "arc-seal";

export function searchText(raw: Uint8Array) {
  const scan = startStructureScan({ measures: false, allFields: true, maxParts: MAX_SEARCHED_PARTS });
  scan.push(raw);
  const structure = scan.finish();
  const { fields } = structure.root;
  const people = (key: string) => readFieldText(fields, key, MAX_ADDRESSES_CHARS);
  return {
    body: bodyText(raw, structure),
    from: people("from"),
    to: people("to"),
    cc: people("cc"),
    bcc: people("bcc"),
    reply_to: people("reply-to"),
    message_id: people("message-id"),
    filenames: attachmentNames(structure, MAX_SEARCHED_NAMES).join(" ").slice(0, MAX_NAMES_CHARS),
    headers: searchedFields(fields),
  };
}

function bodyText(raw: Uint8Array, structure: MimeStructure): string {
  const { parts } = bodyParts(structure);
  const pieces: string[] = [];
  let room = MAX_SEARCHED_CHARS;
  let bytesLeft = MAX_DECODED_BYTES;
  const budget = { tokens: MAX_HTML_TOKENS };
  const told = new Set<number | null>();
  // Text first: if there is text, the HTML of the same alternative is not needed.
  for (const part of [...parts.filter(isText), ...parts.filter((part) => !isText(part))]) {
    if (room <= 0 || bytesLeft <= 0 || (!isText(part) && told.has(part.alternative))) continue;
    const end = Math.min(part.end, part.start + bytesLeft);
    const decode = part.flowed === "no" ? decodeWords : decodeBody;
    const content = decode({ ...part, isCut: end < part.end }, raw.subarray(part.start, end));
    const text = isText(part) ? content : htmlToText(content, { links: false, maxChars: room, budget });
    const piece = text.slice(0, room);
    if (isText(part) && part.alternative !== null && /\S/.test(piece)) told.add(part.alternative);
    pieces.push(piece);
    room -= piece.length + 1;
    bytesLeft -= end - part.start;
  }
  return pieces.join("\n");
}

const isText = ({ kind }: BodyPart) => kind === "text";

/** The fields added in transit come last, so that the others fit into MAX_FIELDS_CHARS. */
function searchedFields(fields: readonly RawField[]) {
  const searched = fields.filter(({ key }) => isSearchedHeader(key)).slice(0, MAX_SEARCHED_FIELDS);
  const found: { readonly name: string; readonly value: string; readonly isTrace: boolean }[] = [];
  let room = MAX_FIELDS_CHARS;
  for (const trace of [false, true]) {
    for (const { key: name, value: octets } of searched) {
      if (isTrace(name) !== trace) continue;
      const isEmpty = room <= 0 || isSeal(name);
      const value = isEmpty ? "" : decodeHeaderText(octets.slice(0, MAX_FIELDS_CHARS)).slice(0, room);
      room -= value.length;
      found.push({ name, value, isTrace: trace });
    }
  }
  return found;
}
