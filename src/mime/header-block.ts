// A header block as a list of fields (RFC 5322 section 2.2): order and duplicates kept, folded
// lines joined. Values are byte strings here, one character an octet; decoding comes later.
import { MAX_FIELDS } from "./limits.ts";

export interface RawField {
  /** As written. */
  readonly name: string;
  /** Lower case. */
  readonly key: string;
  /** Unfolded and trimmed, one character an octet. */
  readonly value: string;
}

/** Which fields to read; null reads all. */
export interface FieldFilter {
  readonly keys: ReadonlySet<string>;
  /** One bit per letter that a key starts with: most lines are passed over by their first byte. */
  readonly initials: number;
}

const initialBit = (code: number) => 1 << ((code | 0x20) - 0x61);

/** Takes lower-case names that start with a letter. */
export const fieldFilter = (...keys: string[]): FieldFilter => ({
  keys: new Set(keys),
  initials: keys.reduce((bits, key) => bits | initialBit(key.charCodeAt(0)), 0),
});

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

const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const SLASH = 0x2f;

const DEL = 0x7f;
const LONGEST_NAME = 80;

const isNameByte = (byte: number) => byte > SPACE && byte < DEL && byte !== COLON;

const isWhite = (code: number) => code === SPACE || (code >= TAB && code <= 0x0d);

/** String.trim would also strip 0xA0, the last octet of "à" in UTF-8. */
function trimOctets(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isWhite(text.charCodeAt(start))) start++;
  while (end > start && isWhite(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const unfold = (text: string) => text.replace(/(?:\r?\n|\r)[ \t]*/g, " ");

/** End of the logical line that starts at `start`: its last octet before the line end that is no fold. */
function fieldEnd(block: string, start: number): number {
  let from = start;
  for (;;) {
    const lf = block.indexOf("\n", from);
    if (lf < 0) return block.length;
    const next = block.charCodeAt(lf + 1);
    if (next !== SPACE && next !== TAB) return lf;
    from = lf + 1;
  }
}

export function splitHeaderBlock(block: string, filter: FieldFilter | null): RawField[] {
  const fields: RawField[] = [];
  let start = 0;
  let first = true;
  while (start < block.length && fields.length < MAX_FIELDS) {
    const end = fieldEnd(block, start);
    const initial = block.charCodeAt(start);
    // White space before a name, where it is no fold, is trimmed below.
    if (filter && !isWhite(initial) && (filter.initials & initialBit(initial)) === 0) {
      first = false;
      start = end + 1;
      continue;
    }
    const colon = block.indexOf(":", start);
    // The separator line that mbox files put before a message is no field.
    const isSeparator = first && /^(?:From|POST) /i.test(block.slice(start, start + 5));
    first = false;
    if (colon > start && colon < end && !isSeparator) {
      const name = trimOctets(block, start, colon);
      const key = name.toLowerCase();
      if (name !== "" && (filter === null || filter.keys.has(key))) {
        const raw = trimOctets(block, colon + 1, end);
        fields.push({ name, key, value: /[\r\n]/.test(raw) ? unfold(raw) : raw });
      }
    }
    start = end + 1;
  }
  return fields;
}
