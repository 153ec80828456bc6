// What the log lacks: segments that the rows know and that are missing or cut short, until they are put back.
import { existsSync } from "node:fs";
import type { Rows } from "../rows/rows.ts";
import type { LackingSegment } from "../rows/segment-rows.ts";
import { type DataDir, largePath } from "./data-dir.ts";
import { isMergedInto, PROLOGUE_BYTES, readHead, type Segment } from "./segment.ts";

interface LogFiles {
  readonly dir: DataDir;
  readonly salt: number;
}

/** More than a kill leaves in the newest segment that the rows have not seen yet. */
const MAX_UNSEEN = 10_000;

/** Numbers of the segments that the rows know and that are not there; the newest may have held nothing yet. */
export function missingSegments(rows: Rows, segments: readonly Segment[]): number[] {
  const { segment } = rows.state;
  const held = rows.segments.all().filter(({ number, size }) => size > PROLOGUE_BYTES || number === segment);
  const known = new Set(held.map(({ number }) => number));
  if (!isThere(segment, segments) && rows.within({ segment, at: 0 }, Infinity).length > 0) known.add(segment);
  return [...known].filter((number) => !isThere(number, segments)).sort((a, b) => a - b);
}

/** The segments that are shorter than the rows know them, or were put back only in part. */
export function shortenedSegments(rows: Rows, segments: readonly Segment[]): Segment[] {
  const lacking = new Map(rows.segments.lacking().map((one) => [one.number, one]));
  const sizeOf = (file: Segment) => {
    const one = lacking.get(file.number);
    const isBackInPart = one !== undefined && file.size > one.left_bytes;
    return Math.max(knownSize(rows, file), isBackInPart ? one.whole_bytes : 0);
  };
  return segments.filter((file) => file.size < sizeOf(file));
}

/** How far the rows have seen a segment, of any generation where none is named; 0 where they have not. */
function knownSize(rows: Rows, { number, generation }: { number: number; generation?: number }): number {
  const { segment, at } = rows.state;
  if (number === segment) return at;
  const row = rows.segments.get(number);
  return row !== null && row.generation === (generation ?? row.generation) ? row.size : 0;
}

/** The number of the newest segment that the rows know, if it is gone: one without mail may begin with a clear. */
export const newestGone = ({ state: { segment } }: Rows, segments: readonly Segment[]): number =>
  isThere(segment, segments) ? 0 : segment;

const isThere = (number: number, segments: readonly Segment[]): boolean =>
  segments.some((file) => file.number === number || isMergedInto(file, number));

/** What is missing or cut short, or was so at a start before. */
function lackingSegments(rows: Rows, segments: readonly Segment[]): LackingSegment[] {
  const newest = Math.max(segments.at(-1)?.number ?? 0, rows.state.segment);
  const lacks = (number: number, left_bytes: number) => ({
    number,
    newest,
    left_bytes,
    whole_bytes: knownSize(rows, { number }),
  });
  return [
    ...rows.segments.lacking().filter((one) => !isBack(one, segments)),
    ...missingSegments(rows, segments).map((number) => lacks(number, 0)),
    ...shortenedSegments(rows, segments).map(({ number, size }) => lacks(number, size)),
  ];
}

/** Numbers of those that are missing, also since a start before. */
export const allMissing = (rows: Rows, segments: readonly Segment[]): number[] =>
  lackingSegments(rows, segments).flatMap(({ number, left_bytes }) => (left_bytes === 0 ? number : []));

/** Numbers of those that are shorter than they were, also since a start before. */
export const allShortened = (rows: Rows, segments: readonly Segment[]): number[] =>
  lackingSegments(rows, segments).flatMap(({ number, left_bytes }) => (left_bytes > 0 ? number : []));

const isBack = ({ number, whole_bytes }: LackingSegment, segments: readonly Segment[]): boolean =>
  segments.some((file) => (file.number === number ? file.size >= whole_bytes : isMergedInto(file, number)));

/**
 * Has other rows know what these do of segments that are missing or cut short: how far they went, and what must not
 * become of the others until they are back. A later clear that the others have seen makes that void.
 */
export function lackingIn(rows: Rows, segments: readonly Segment[]): (others: Rows) => void {
  if (!rows.hasSoundState) return () => {};
  const { segment, cleared_seq, last_seq, last_id, last_change } = rows.state;
  const lacking = lackingSegments(rows, segments);
  const isNewestGone = newestGone(rows, segments) > 0;
  const unseen = isNewestGone || lacking.some(({ number }) => number === segment) ? MAX_UNSEEN : 0;
  const isWhole = lacking.length === 0 && !isNewestGone;
  return (others) => {
    const cleared = others.state.cleared_seq;
    if (isWhole || (cleared > cleared_seq && cleared >= last_seq)) return;
    others.sawMessage(last_seq + unseen, last_id);
    others.sawChange(last_change + unseen);
    others.begin();
    for (const one of lacking) others.segments.addLacking(one);
    others.commit(others.state);
  };
}

/** Whether a segment may be missing before or between these; one that nothing was left of has gone as well. */
export function hasGaps(segments: readonly Segment[], { dir, salt }: LogFiles): boolean {
  const [first] = segments;
  const head = first === undefined ? null : readHead(dir.log, first, salt);
  if (head === null || head.last_seq > head.cleared_seq) return true;
  return segments.some(({ number }, index) => {
    const before = segments[index - 1];
    return before !== undefined && number > (before.mergedTo ?? before.number) + 1;
  });
}

/** Whether somebody has put files back that these rows had to do without. */
export function hasComeBack(rows: Rows, segments: readonly Segment[], { dir, salt }: LogFiles): boolean {
  const { segment, cleared_seq } = rows.state;
  const lacking = new Map(rows.segments.lacking().map((one) => [one.number, one.left_bytes]));
  const known = new Map(rows.segments.all().map((row) => [row.number, row]));
  // A file that the rows do not know, and that no clear has made void, has been put back; or one that was cut short.
  const cameBack = (file: Segment) => {
    const left = lacking.get(file.number);
    if (left !== undefined) return file.size > left;
    if (file.number >= segment) return false;
    const row = known.get(file.number);
    if (row !== undefined) return row.size > 0 && row.generation === file.generation && file.size > row.size;
    const head = readHead(dir.log, file, salt);
    return head === null || head.cleared_seq >= cleared_seq;
  };
  return segments.some(cameBack) || rows.lostBodies().some((id) => existsSync(largePath(dir, id)));
}
