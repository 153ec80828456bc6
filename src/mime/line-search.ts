// Where lines of a message begin and end, searched or looked at byte by byte, whichever is faster.

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const LINE_OF_DASHES = Buffer.from("\n--");
const EMPTY_LF_LINE = Buffer.from("\n\n");
const EMPTY_CRLF_LINE = Buffer.from("\n\r\n");
const SHORT_LINE_BYTES = 80;

/** Lines of dashes often follow each other: a search would cost more than a look. */
export const findLineOfDashes = (data: Buffer, from: number) =>
  data[from] === LF && data[from + 1] === DASH && data[from + 2] === DASH
    ? from
    : data.indexOf(LINE_OF_DASHES, from);

/** Most lines that start with dashes are short: a search would cost more than a look at each octet. */
export function findLineEnd(data: Buffer, line: number): number {
  const near = Math.min(data.length, line + SHORT_LINE_BYTES);
  for (let at = line; at < near; at++) if (data[at] === LF) return at;
  return data.indexOf(LF, near);
}

export const isEmptyLine = (data: Buffer, at: number) =>
  data[at] === LF || (data[at] === CR && data[at + 1] === LF);

/** Where the first empty line behind the line at `from` begins, or -1. */
export function findEmptyLine(data: Buffer, from: number): number {
  const crlf = data.indexOf(EMPTY_CRLF_LINE, from);
  const lf = (crlf < 0 ? data : data.subarray(0, crlf + 1)).indexOf(EMPTY_LF_LINE, from);
  const end = lf < 0 ? crlf : lf;
  return end < 0 ? -1 : end + 1;
}

/** The line end before a delimiter belongs to the delimiter, not to the body. */
export function beforeLineEnd(data: Buffer, line: number, floor: number): number {
  let end = line;
  if (end > floor && data[end - 1] === LF) end--;
  if (end > floor && end < line && data[end - 1] === CR) end--;
  return end;
}

/** Where a tail begins that may turn out to be a line end before a delimiter. */
export function undecidedFrom(data: Buffer, floor: number): number {
  let at = data.length;
  if (at - 1 > floor && data[at - 1] === DASH && data[at - 2] === LF) at--;
  const end = beforeLineEnd(data, at, floor);
  const isCr = end === at && at > floor && data[at - 1] === CR;
  return isCr ? at - 1 : end;
}
