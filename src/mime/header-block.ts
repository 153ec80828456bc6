// A header block as a list of fields (RFC 5322 section 2.2): order and duplicates kept, folded
// lines joined. Values are byte strings here, one character an octet; decoding comes later.
import { decodeUnlabelled, isJapanese } from "./charset.ts";
import { MAX_FIELDS } from "./limits.ts";

export interface RawField {
  /** As written. */
  readonly name: string;
  /** Lower case. */
  readonly key: string;
  /** Unfolded and trimmed, one character an octet. */
  readonly value: string;
}

/** Finds fields by their names, wherever a line begins with one. */
export type FieldFilter = RegExp;

/** Takes names without regard to case. A search passes over other lines several times faster than a look at each. */
export const fieldFilter = (...names: string[]): FieldFilter =>
  new RegExp(`(?:^|\\n(?:[\\v\\f\\r][\\t\\v\\f\\r ]*)?)(${names.join("|")})([\\t-\\r ]*):`, "gi");

/** How far a message without a single field may look like one. */
const LOOKED_AT_BYTES = 2048;
/** A URL at the start of a line is none. */
const FIELD = /^[!-9;-~\x80-\xff]+[ \t]*:(?!\/\/)/m;
/** White space before a field, or the separator line of an mbox file. */
const BEFORE_FIELD = /^(?:[ \t]|>?(?:From|POST) )/i;
const EMPTY_LINE = /\n\r?\n/;

/**
 * Whether a message begins with a header, by what is there of its start; undefined while more is needed.
 * Scripts send plain text as a mail: where no line up to the first empty one is a field, all of it is the body.
 */
export function hasHeader(start: Buffer, isAll: boolean): boolean | undefined {
  if (startsWithField(start)) return true;
  const firstLine = start.toString("latin1", 0, Math.min(start.indexOf("\n") + 1, LOOKED_AT_BYTES));
  if (FIELD.test(firstLine) || BEFORE_FIELD.test(firstLine) || /^\r?\n/.test(firstLine)) return true;
  const text = start.toString("latin1", 0, LOOKED_AT_BYTES);
  const end = text.search(EMPTY_LINE);
  const isEnough = isAll || end >= 0 || text.length === LOOKED_AT_BYTES;
  const lines =
    end >= 0 ? text.slice(0, end) : text.slice(0, isEnough ? undefined : text.lastIndexOf("\n") + 1);
  if (FIELD.test(lines)) return true;
  return isEnough ? false : undefined;
}

/** Nearly every message does, and that is told at a glance; false where it takes a closer look. */
function startsWithField(start: Buffer): boolean {
  const longest = Math.min(start.length - 1, LONGEST_NAME);
  let at = 0;
  while (at < longest && isNameByte(start[at] as number)) at++;
  return at > 0 && at < longest && start[at] === COLON && start[at + 1] !== SLASH;
}

/** The start of a line that is neither a field nor the fold of one. */
const NO_FIELD = /^(?![!-9;-~\x80-\xff]+[ \t]*:(?!\/\/))\S/;
const NO_FIELD_BELOW = new RegExp(`(?<=\\n)${NO_FIELD.source.slice(1)}`);
const DESCRIBES_PART = /(?<![^\n])content-[\w-]+[ \t]*:/i;

const WORDS = "from|to|cc|bcc|date|subject|sender|received|references|importance|priority|precedence";
const FAMILIES =
  "x|content|message|mime|reply|return|in-reply|resent|list|received|delivered|dkim|domainkey|arc|authentication|auto|feedback|user|thread|disposition";
/** A field that no person would write in a text: there "Note: …" is a sentence. */
const MAIL_FIELD = new RegExp(`^(?:${WORDS}|(?:${FAMILIES})-[\\w-]+)[ \\t]*:`, "im");

const USUAL_FIELD = new RegExp(MAIL_FIELD.source, "i");

const PARAMETER = /^[\w*-]+\s*=/;

/** Whether lines that are no fields are folds without their space, such as parameters. */
const isFold = (before: string, lines: string) => /;\s*$/.test(before) || PARAMETER.test(lines);

/** No person writes so much without an empty line; to look for text in more would keep others waiting. */
const MAX_TEXT_IN_HEADER = 64 << 10;

/** With its folds. */
function lastField(block: string): string {
  let start = block.length;
  do start = block.lastIndexOf("\n", start - 2) + 1;
  while (start > 1 && (block[start] === " " || block[start] === "\t"));
  return block.slice(start);
}

/** Where the fields end and the text begins: some senders forget the empty line between them. */
export function fieldsEnd(block: string, hasEmptyLine: boolean): number {
  if (block.length > MAX_TEXT_IN_HEADER) return block.length;
  const isText = NO_FIELD.test(block);
  // Nearly every header ends with a usual field, and that is told at a glance.
  if (hasEmptyLine && !isText && USUAL_FIELD.test(lastField(block))) return block.length;
  const text = isText ? 0 : block.search(NO_FIELD_BELOW);
  if (text < 0) return block.length;
  const [before, lines] = [block.slice(0, text), block.slice(text)];
  const goesOn = hasEmptyLine && text > 0 && (MAIL_FIELD.test(lines) || isFold(before, lines));
  return goesOn || DESCRIBES_PART.test(lines) ? block.length : text;
}

/** Whether a line is the first delimiter of the multipart that the fields before it describe. */
export function isFirstDelimiter(line: string, block: string): boolean {
  const boundary = line.slice(2).trimEnd().toLowerCase();
  const fields = block.toLowerCase();
  return boundary !== "" && ["boundary=", 'boundary="'].some((start) => fields.includes(start + boundary));
}

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SLASH = 0x2f;

const DEL = 0x7f;
const LONGEST_NAME = 80;

const isNameByte = (byte: number) => byte > SPACE && byte < DEL && byte !== COLON;

const isWhite = (code: number) => code === SPACE || (code >= TAB && code <= 0x0d);

/** String.trim would also strip 0xA0, the last octet of "à" in UTF-8. */
export function trimOctets(text: string, from = 0, to = text.length): string {
  let start = from;
  let end = to;
  while (start < end && isWhite(text.charCodeAt(start))) start++;
  while (end > start && isWhite(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A field that is folded a million times takes long by a regular expression. */
function unfold(text: string): string {
  const octets = Buffer.from(text, "latin1");
  let length = 0;
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number;
    const isLineEnd = octet === LF || octet === CR;
    octets[length++] = isLineEnd ? SPACE : octet;
    if (!isLineEnd) continue;
    if (octet === CR && octets[at + 1] === LF) at++;
    while (octets[at + 1] === SPACE || octets[at + 1] === TAB) at++;
  }
  return octets.toString("latin1", 0, length);
}

/** The first line end from `from` on that is no fold. Most fields have none, some a million. */
function fieldEnd(block: string, from: number): number {
  const end = block.indexOf("\n", from);
  if (end < 0) return block.length;
  const next = block.charCodeAt(end + 1);
  if (next !== SPACE && next !== TAB) return end;
  UNFOLDED_END.lastIndex = end + 1;
  return UNFOLDED_END.test(block) ? UNFOLDED_END.lastIndex - 1 : block.length;
}

const UNFOLDED_END = /\n(?![ \t])/g;

/** The separator line that mbox files put before a message is no field. */
const SEPARATOR = /^(?:From|POST) /i;

const firstField = (block: string) => (SEPARATOR.test(block) ? fieldEnd(block, 0) : 0);

/** Japanese in its old charset as UTF-8: its octets look like quotes, commas and brackets. */
function asUtf8(value: string): string {
  const octets = Buffer.from(value, "latin1");
  return isJapanese(octets) ? Buffer.from(decodeUnlabelled(octets)).toString("latin1") : value;
}

/** Takes what stands before and behind the colon. */
function fieldOf(name: string, raw: string): RawField {
  const value = /[\r\n]/.test(raw) ? unfold(raw) : raw;
  return { name, key: name.toLowerCase(), value: value.includes("\x1b$") ? asUtf8(value) : value };
}

/** Some programs begin every text in UTF-8 with it. */
const BYTE_ORDER_MARK = "\xef\xbb\xbf";

/** All fields, or those that the filter finds. */
export function splitHeaderBlock(octets: string, filter: FieldFilter | null): RawField[] {
  const block = octets.startsWith(BYTE_ORDER_MARK) ? octets.slice(BYTE_ORDER_MARK.length) : octets;
  return filter === null ? allFields(block) : namedFields(block, filter);
}

function allFields(block: string): RawField[] {
  const fields: RawField[] = [];
  let colon = -1;
  for (let start = firstField(block); start < block.length && fields.length < MAX_FIELDS; ) {
    const end = fieldEnd(block, start);
    // Where many lines have none, each of them would look for the same.
    if (colon < start) colon = block.indexOf(":", start);
    if (colon < 0) break;
    const name = colon < end ? trimOctets(block, start, colon) : "";
    if (name !== "") fields.push(fieldOf(name, trimOctets(block, colon + 1, end)));
    start = end + 1;
  }
  return fields;
}

function namedFields(untrimmed: string, filter: FieldFilter): RawField[] {
  const fields: RawField[] = [];
  // White space before a name, where it is no fold, does not count.
  const block = isWhite(untrimmed.charCodeAt(0)) ? trimOctets(untrimmed) : untrimmed;
  filter.lastIndex = firstField(untrimmed);
  while (fields.length < MAX_FIELDS) {
    const found = filter.exec(block);
    if (found === null) break;
    const name = found[1] as string;
    const gap = found[2] as string;
    const colon = filter.lastIndex - 1;
    // The line ends before the colon.
    if (gap !== "" && fieldEnd(gap, 0) < gap.length) continue;
    const end = fieldEnd(block, colon);
    fields.push(fieldOf(name, trimOctets(block, colon + 1, end)));
    filter.lastIndex = end;
  }
  return fields;
}
