// Finds whether a message has a header, and where the header of a message or part ends. If the
// header or the empty line after it is missing, this is a guess: a line may be a field, a folded
// line that lacks its space, or text.

/** The first field is searched for in this many bytes. */
const LOOKED_AT_BYTES = 2048;
/** A URL at the start of a line is not a field. */
const FIELD = /^[!-9;-~\x80-\xff]+[ \t]*:(?!\/\/)/m;
/** White space before a field, the separator line of an mbox file, or the first line of an HTTP POST request. */
const BEFORE_FIELD = /^(?:[ \t]|>?(?:From|POST) (?![ \t]*:))/i;
const EMPTY_LINE = /\n\r*\n/;

/** A quick test that nearly every message passes. */
const USUAL_START = /^[a-z-]{1,79}:[^/]/i;
const USUAL_START_BYTES = 81;

/** Whether a message has a header: scripts may send plain text without one. Undefined while more bytes are needed. */
export function hasHeader(start: Buffer, isAll: boolean): boolean | undefined {
  if (USUAL_START.test(start.toString("latin1", 0, USUAL_START_BYTES))) return true;
  const firstLine = start.toString("latin1", 0, Math.min(start.indexOf("\n") + 1, LOOKED_AT_BYTES));
  if (FIELD.test(firstLine) || BEFORE_FIELD.test(firstLine) || /^\r*\n/.test(firstLine)) return true;
  const text = start.toString("latin1", 0, LOOKED_AT_BYTES);
  const end = text.search(EMPTY_LINE);
  const isEnough = isAll || end >= 0 || text.length === LOOKED_AT_BYTES;
  const lines =
    end >= 0 ? text.slice(0, end) : text.slice(0, isEnough ? undefined : text.lastIndexOf("\n") + 1);
  if (FIELD.test(lines)) return true;
  return isEnough ? false : undefined;
}

/** The start of a line that is neither a field nor a folded line. */
const NO_FIELD = /^(?![!-9;-~\x80-\xff]+[ \t]*:(?!\/\/))\S/;
const NO_FIELD_BELOW = new RegExp(`(?<=\\n)${NO_FIELD.source.slice(1)}`);
const DESCRIBES_PART = /(?<![^\n])content-[\w-]+[ \t]*:/i;

const WORDS = "from|to|cc|bcc|date|subject|sender|received|references|importance|priority|precedence";
const FAMILIES =
  "x|content|message|mime|reply|return|in-reply|resent|list|received|delivered|dkim|domainkey|arc|authentication|auto|feedback|user|thread|disposition";
/** A field that ordinary text hardly ever contains, unlike "Note: …". */
const MAIL_FIELD = new RegExp(`^(?:${WORDS}|(?:${FAMILIES})-[\\w-]+)[ \\t]*:`, "im");
const USUAL_FIELD = new RegExp(MAIL_FIELD.source, "i");

/** Some senders fold a field without the space that a folded line begins with. */
const isFold = (before: string, lines: string) => /;\s*$/.test(before) || /^[\w*-]+\s*=/.test(lines);

/** Only this much of a header is searched for the start of the text: more would take too long. */
const MAX_SEARCHED_CHARS = 64 << 10;

function lastField(block: string): string {
  let start = block.length;
  do start = block.lastIndexOf("\n", start - 2) + 1;
  while (start > 1 && (block[start] === " " || block[start] === "\t"));
  return block.slice(start);
}

/** Some senders forget the empty line before the text: returns where the text begins, or the length of the block. */
export function fieldsEnd(block: string, hasEmptyLine: boolean): number {
  const isText = NO_FIELD.test(block);
  // Nearly every header ends with a usual field. This quick check saves the search.
  if (hasEmptyLine && !isText && USUAL_FIELD.test(lastField(block))) return block.length;
  const searched = block.slice(0, MAX_SEARCHED_CHARS);
  const text = isText ? 0 : searched.search(NO_FIELD_BELOW);
  if (text < 0) return block.length;
  const [before, lines] = [searched.slice(0, text), searched.slice(text)];
  const goesOn = hasEmptyLine && text > 0 && (MAIL_FIELD.test(lines) || isFold(before, lines));
  return goesOn || DESCRIBES_PART.test(lines) ? block.length : text;
}

/** Whether a line is the first delimiter of the multipart that the fields before it describe. */
export function isFirstDelimiter(line: string, block: string): boolean {
  const boundary = line.slice(2).trimEnd().toLowerCase();
  const fields = block.toLowerCase();
  return boundary !== "" && ["boundary=", 'boundary="'].some((start) => fields.includes(start + boundary));
}
