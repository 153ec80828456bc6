// Why an index must not be thrown away yet by somebody who only wants a new one: it knows what the log does not say.
import { openDerived } from "./derived-db.ts";
import type { DataDir } from "./log/data-dir.ts";
import { allMissing, shortenedSegments } from "./log/lacking.ts";
import { type RecoveryOptions, rowsFitLog } from "./log/recovery.ts";
import { replay } from "./log/replay.ts";
import { listed, loadSegment, mayHoldNotes, readSegment, type Segment } from "./log/segment.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { compareIndex } from "./verify/verify-rows.ts";

const TO_BE_MENDED =
  "what a damaged record of the log has changed is only in the index: start Mailkeep once, which writes it to the log again";

export async function whyKept(
  rows: Rows,
  segments: readonly Segment[],
  options: RecoveryOptions,
): Promise<string | null> {
  if (!rows.hasSoundState || rows.state.segment === 0) return null;
  const missing = allMissing(rows, segments);
  if (missing.length > 0) return missingMessage(missing, options.dir);
  const shortened = shortenedSegments(rows, segments).map(({ number }) => number);
  if (shortened.length > 0) return shortenedMessage(shortened, options.dir);
  if (!rowsFitLog(rows, segments, options) || !hasLostNotes(rows, segments, options)) return null;
  return (await saysTheSame(rows, segments, options)) ? null : TO_BE_MENDED;
}

/** For a person, of segments by their numbers. */
export const missingMessage = (numbers: readonly number[], dir: DataDir): string =>
  `of ${dir.log} ${named(numbers)} is missing: put it back from a backup, or, to go on without its mail for good, delete ${dir.rows} and start Mailkeep`;

export const shortenedMessage = (numbers: readonly number[], dir: DataDir): string =>
  `of ${dir.log} ${named(numbers)} is shorter than it was: put it back from a backup, or start Mailkeep, which goes on with what is left`;

/** Of what a start has named. */
export const cutBeforeMessage = (numbers: readonly number[], dir: DataDir): string =>
  `of ${dir.log} ${named(numbers)} was found shorter than it had been: put it back from a backup and start Mailkeep to have its mail again`;

const named = (numbers: readonly number[]): string =>
  listed(numbers.map((number) => `${String(number).padStart(10, "0")}-*.seg`));

/** Whether something is damaged that the rows have seen whole, and that may have been a change or a deletion. */
function hasLostNotes(rows: Rows, segments: readonly Segment[], { dir, salt }: RecoveryOptions): boolean {
  const { segment, at } = rows.state;
  return segments.some((file) => {
    const bytes = loadSegment(dir.log, file);
    const isSeen = (end: number) => file.number < segment || (file.number === segment && end <= at);
    return readSegment(bytes, 0, salt).some(
      (entry) => entry.kind === "damaged" && isSeen(entry.end) && mayHoldNotes(bytes, entry, salt),
    );
  });
}

async function saysTheSame(
  rows: Rows,
  segments: readonly Segment[],
  { dir, salt, startScan }: RecoveryOptions,
): Promise<boolean> {
  using db = openDerived(":memory:", ROWS_SCHEMA, salt).db;
  const inLog = new Rows(db);
  await replay(inLog, segments, { dir, salt, startScan, onDamage: () => {}, onProgress: () => {} });
  const isSame = compareIndex(inLog, rows, new Set()).length === 0;
  inLog.finish();
  return isSame;
}
