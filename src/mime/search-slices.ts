// What the full-text index is given of a large message: the same body that `searchText` finds, a little at a time
// and without the message in memory, so that whoever reads it can do something else in between.
import { isAscii } from "node:buffer";
import { MAX_SEARCHED_CHARS } from "../lib/searched-text.ts";
import { type BodyPart, bodyParts } from "./bodies.ts";
import { BEYOND_ASCII, decodeSlices, isJapanese, namedEncoding, saysNothing } from "./charset.ts";
import { decodeFlowedSlices } from "./flowed.ts";
import { htmlToTextInSteps } from "./html/html-text.ts";
import { namedCharset } from "./html/named-charset.ts";
import { SEARCHED_KINDS, searchedEnd, startSearchedScan, TextRead } from "./search-text.ts";
import { decodeInSlices } from "./transfer-decoding.ts";

/** Encoded octets worked on together. */
const SLICE_BYTES = 1 << 16;
/** Bytes looked at together while the parts are found, of which there may be thousands in them. */
const SCANNED_BYTES = 1 << 14;

interface RawReader {
  readonly size: number;
  /** The bytes are good until the next call. */
  read(start: number, end: number): Uint8Array;
}

/** Between two slices, some of which are empty, lie a few milliseconds of work. */
export function* searchTextInSlices(raw: RawReader): Generator<string, void, void> {
  const scan = startSearchedScan();
  for (const bytes of slicesOf(raw, 0, raw.size)) {
    for (let at = 0; at < bytes.length; at += SCANNED_BYTES) {
      scan.push(bytes.subarray(at, at + SCANNED_BYTES));
      yield "";
    }
  }
  const parts = bodyParts(scan.finish());
  let room = MAX_SEARCHED_CHARS;
  const textRead = new TextRead();
  for (const kind of SEARCHED_KINDS) {
    for (const part of parts) {
      if (room <= 0 || part.kind !== kind || textRead.repeats(part)) continue;
      for (const slice of bodySlices(raw, part, room)) {
        textRead.add(part, slice);
        yield slice.slice(0, room);
        room -= slice.length;
        if (room <= 0) break;
      }
      yield "\n";
    }
  }
}

function* slicesOf(raw: RawReader, start: number, end: number): Generator<Uint8Array, void, void> {
  for (let at = start; at < end; at += SLICE_BYTES) yield raw.read(at, Math.min(end, at + SLICE_BYTES));
}

function* bodySlices(raw: RawReader, part: BodyPart, maxChars: number): Generator<string, void, void> {
  const bytes = () => decodeInSlices(part.encoding, slicesOf(raw, part.start, searchedEnd(part, maxChars)));
  const encoding = yield* encodingOfSlices(part, bytes());
  const text = decodeSlices(encoding, bytes());
  if (part.kind === "text") {
    yield* part.flowed === "no" ? text : decodeFlowedSlices(text, part.flowed === "delete-space");
    return;
  }
  const html: string[] = [];
  for (const slice of text) {
    html.push(slice);
    yield "";
  }
  yield* htmlToTextInSteps(html.join(""), maxChars);
}

/** What the whole would be read by: the charset of the part, that of the HTML, or what the bytes look like. */
function* encodingOfSlices(
  { kind, charset }: BodyPart,
  slices: Iterable<Uint8Array>,
): Generator<"", string, void> {
  const named = namedEncoding(charset);
  if (named !== null) return named;
  const utf8 = new TextDecoder("utf-8");
  let inHtml: string | null | undefined = kind === "html" && saysNothing(charset) ? undefined : null;
  let isAllAscii = true;
  let isShifted = false;
  for (const bytes of slices) {
    if (inHtml === undefined) inHtml = namedEncoding(namedCharset(bytes));
    isAllAscii &&= isAscii(bytes);
    isShifted ||= isJapanese(bytes);
    const text = isAllAscii ? "" : utf8.decode(bytes, { stream: true });
    // What HTML says of itself counts unless all of it is UTF-8; otherwise any sequence that makes sense does.
    if (inHtml !== null && text.includes("\ufffd")) return inHtml;
    if (inHtml === null && BEYOND_ASCII.test(text)) return "utf-8";
    yield "";
  }
  if (isAllAscii && isShifted) return "iso-2022-jp";
  return isAllAscii || inHtml !== null ? "utf-8" : "windows-1252";
}
