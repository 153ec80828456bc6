// Whether the row index fits the files of the log and says what they say; a part of `mailkeep verify`.
import { isOutdated } from "../derived-db.ts";
import type { DataDir } from "../log/data-dir.ts";
import { allMissing, allShortened, hasComeBack, missingSegments, shortenedSegments } from "../log/lacking.ts";
import type { Segment } from "../log/segment.ts";
import type { Rows } from "../rows/rows.ts";
import { ROWS_SCHEMA } from "../rows/schema.ts";
import { cutBeforeMessage, missingMessage, shortenedMessage } from "../why-kept.ts";
import type { Findings } from "./problem.ts";
import type { CheckedLog } from "./verify-log.ts";
import { compareIndex } from "./verify-rows.ts";

/** Whether the next start makes both indexes anew, so that what they hold now is no matter. */
export function checkIndex(
  index: Rows,
  rows: Rows,
  lost: ReadonlySet<number>,
  { dir, salt, segments }: CheckedLog,
  { problems, notes }: Findings,
): boolean {
  const missing = allMissing(index, segments);
  if (missing.length > 0) problems.push({ kind: "missing_segment", message: missingMessage(missing, dir) });
  const shortened = index.hasSoundState ? shortenedSegments(index, segments).map(({ number }) => number) : [];
  if (shortened.length > 0)
    problems.push({ kind: "shortened_segment", message: shortenedMessage(shortened, dir) });
  const named = new Set([...missing, ...shortened]);
  const cutBefore = allShortened(index, segments).filter((number) => !named.has(number));
  if (cutBefore.length > 0) notes.push(cutBeforeMessage(cutBefore, dir));
  const isBack = hasComeBack(index, segments, { dir, salt });
  const isMadeAnew = isBack || missingSegments(index, segments).length > 0 || shortened.length > 0;
  if (isBack) notes.push("files were put back that the index does without; the next start builds it anew");
  else if (isBehind(index, rows, segments))
    notes.push("the index is behind the log; it catches up at the next start");
  else if (!isMadeAnew) problems.push(...compareIndex(rows, index, lost));
  return isMadeAnew;
}

export function reportUnusable(dir: DataDir, why: string | null, { problems, notes }: Findings): void {
  if (isOutdated(dir.rows, ROWS_SCHEMA))
    notes.push("the index is not yet built by this version; it is built at the next start");
  else if (why === null) notes.push("the index is missing; it is built at the next start");
  else
    problems.push({
      kind: "index_unusable",
      message: `the index cannot be used (${why}); it is rebuilt at the next start`,
    });
}

function isBehind(index: Rows, log: Rows, segments: readonly Segment[]): boolean {
  if (log.state.last_seq === 0) return false;
  const { segment, at } = index.state;
  if (segment < log.state.segment || (segment === log.state.segment && at < log.state.at)) return true;
  const known = new Map(index.segments.all().map(({ number, generation }) => [number, generation]));
  // A compaction was cut short: its file is there, the rows have yet to follow.
  return segments.some(({ number, generation }) => (known.get(number) ?? generation) < generation);
}
