// Opens the rows of a data folder and brings them up to the log, from the beginning where they cannot be trusted.
import type { Database } from "bun:sqlite";
import {
  closeDerived,
  closeWhole,
  OF_ANOTHER_LOG,
  openDerived,
  openTrusted,
  removeDerived,
} from "./derived-db.ts";
import { asStoreError, diskFull, isDiskFull, isIndexDamage } from "./errors.ts";
import { largePath } from "./log/data-dir.ts";
import { hasGaps, lackingIn, missingSegments, newestGone, shortenedSegments } from "./log/lacking.ts";
import { assertOnlyCopies } from "./log/order.ts";
import {
  catchUp,
  findSegments,
  type RecoveryOptions,
  rowsFitLog,
  surveySegments,
  sweepLarge,
  tidyFiles,
} from "./log/recovery.ts";
import { isRepeated, setRepeatedAside } from "./log/repeats.ts";
import type { Segment } from "./log/segment.ts";
import type { MessageRow } from "./rows/row.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { leaveLacking, takePlace, unfinishedPath } from "./rows-anew.ts";
import { StoreError } from "./store.ts";
import { whyKept } from "./why-kept.ts";

export const BACKUP_ADVICE =
  "the mail in it is gone unless you stop Mailkeep and put the file back from a backup";
const SHORTENED_ADVICE =
  "deleted mail may be back, and flags and tags as they were; to have all as it was, stop Mailkeep and put the file back from a backup";
const MISSING_ADVICE =
  "the files of the log lack mail that was there; to have it back, stop Mailkeep and restore them from a backup";

/** The rows, brought up to the log; on a disk without room for them, in memory until the next start. */
export async function openRowsUpToLog(options: RecoveryOptions): Promise<OpenRows> {
  const { dir, logger } = options;
  try {
    return await openRecovered(dir.rows, options);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    logger.warn("index_in_memory", { reason: "the disk is full" });
    const before = knownBefore(options);
    leaveLacking(dir.rows, before.knowLacking, options.salt);
    return openRecovered(":memory:", options, before);
  }
}

/** What the index knows that the disk does not let us go on with. */
function knownBefore(options: RecoveryOptions): Before {
  const { dir, salt } = options;
  const { db, why } = openTrusted(dir.rows, ROWS_SCHEMA, salt);
  if (db === null) return { fits: why !== OF_ANOTHER_LOG, known: 0, newestGone: 0, knowLacking: () => {} };
  const rows = new Rows(db);
  const before = beforeOf(rows, surveySegments(dir, salt).segments, options);
  rows.finish();
  db.close();
  return before;
}

/** What rows are, compared with the files of the log. */
function beforeOf(rows: Rows, segments: readonly Segment[], options: RecoveryOptions): Before {
  const { hasSoundState } = rows;
  return {
    fits: !options.anew && rowsFitLog(rows, segments, options),
    known: hasSoundState ? rows.state.messages : 0,
    newestGone: hasSoundState ? newestGone(rows, segments) : 0,
    knowLacking: lackingIn(rows, segments),
  };
}

export type OpenRows = Opened &
  Before &
  ReturnType<typeof tidyFiles> & { large: ReturnType<typeof sweepLarge> };

interface Opened {
  readonly db: Database;
  readonly rows: Rows;
  /** Of its file; `:memory:` without one. */
  readonly path: string;
  readonly isNew: boolean;
  readonly isSealed: boolean;
}

/** What the index was like that was found. */
interface Before {
  readonly fits: boolean;
  /** How many messages it knew that are yet to be found in the log. */
  readonly known: number;
  /** The number of the newest segment, if it is gone and can be put back: new mail goes into another one. */
  readonly newestGone: number;
  readonly knowLacking: (rows: Rows) => void;
}

/** Where records had to leave the log, or the index turns out to be wrong, all begins again with an empty one. */
async function openRecovered(path: string, options: RecoveryOptions, before?: Before): Promise<OpenRows> {
  const found = findSegments(options.dir, options.salt);
  const opened =
    before === undefined ? await openRows(path, found, options) : openAnew(path, options, before);
  try {
    const recovered = await bringUpToLog(path, opened, found, options);
    if (recovered !== null) return recovered;
  } catch (error) {
    if (opened.isNew || !isIndexDamage(error)) {
      closeRows(opened);
      // Made from a log that is refused: once that is in order, it would pass for one that fits.
      if (asStoreError(error).code === "data_dir_unusable") removeDerived(opened.path);
      throw error;
    }
    options.logger.warn("index_rebuilt", { reason: (error as Error).message });
  }
  closeRows(opened);
  removeDerived(opened.path);
  return openRecovered(path, options, opened);
}

/** Null when records had to leave the log. */
async function bringUpToLog(
  path: string,
  opened: Opened & Before,
  found: readonly Segment[],
  options: RecoveryOptions,
): Promise<OpenRows | null> {
  const { rows, known, knowLacking } = opened;
  const damages = await catchUp(rows, found, options);
  if (damages.some(isRepeated)) assertOnlyCopies(found, options);
  if (setRepeatedAside(damages, options)) return null;
  const tidied = tidyFiles(rows, found, damages, options);
  knowLacking(rows);
  reportMade(opened, options);
  reportMissing(known - rows.state.messages, options);
  const large = sweepLarge(rows, options, mayHaveLost(opened, tidied, options));
  if (options.anew) assertBodies(large.lost, options);
  const placed = inPlace(path, opened, options);
  // A file that cannot be trusted right after it was written is an empty one by now.
  await catchUp(rows, tidied.segments, options);
  knowLacking(rows);
  return { ...opened, ...placed, ...tidied, large };
}

/** Whether the log may have held more than it does. */
function mayHaveLost(
  { rows, isNew, fits }: Opened & Before,
  { segments, isDamaged }: ReturnType<typeof tidyFiles>,
  options: RecoveryOptions,
): boolean {
  const mayLack = isNew ? hasGaps(segments, options) : rows.segments.lacking().length > 0;
  return isDamaged || !fits || mayLack || segments.length === 0;
}

/** Whoever only wants a new index must not lose a message that may yet come back. */
function assertBodies([first, ...others]: readonly MessageRow[], { dir }: RecoveryOptions): void {
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new StoreError(
    "data_dir_unusable",
    `${largePath(dir, first.id)}${more} is missing: put it back from a backup, or start Mailkeep, which takes the mail out`,
  );
}

/** A new mailbox has nothing to tell. */
function reportMade({ isNew, rows }: Opened, { logger }: RecoveryOptions): void {
  const { messages } = rows.state;
  if (isNew && messages > 0) logger.info("index_built", { messages });
}

function reportMissing(messages: number, { dir, logger }: RecoveryOptions): void {
  if (messages > 0) logger.error("mail_missing", { messages, folder: dir.log, advice: MISSING_ADVICE });
}

function reportLacking(rows: Rows, segments: readonly Segment[], { dir, logger }: RecoveryOptions): void {
  for (const segment of missingSegments(rows, segments))
    logger.error("segment_missing", { segment, folder: dir.log, advice: BACKUP_ADVICE });
  for (const { number } of shortenedSegments(rows, segments))
    logger.error("segment_shortened", { segment: number, folder: dir.log, advice: SHORTENED_ADVICE });
}

function closeRows({ rows, db }: Opened): void {
  rows.finish();
  db.close();
}

async function openRows(
  path: string,
  segments: readonly Segment[],
  options: RecoveryOptions,
): Promise<Opened & Before> {
  const { logger } = options;
  let isWritable = true;
  const opened = openDerived(path, ROWS_SCHEMA, options.salt, () => {
    isWritable = false;
  });
  if (opened.why !== null) logger.warn("index_rebuilt", { reason: opened.why });
  const rows = new Rows(opened.db);
  const before = beforeOf(rows, segments, options);
  if (options.anew) {
    const reason = await whyKept(rows, segments, options);
    if (reason !== null) {
      rows.finish();
      closeDerived(opened.db, path);
      throw new StoreError("data_dir_unusable", reason);
    }
  } else if (before.fits) {
    if (isWritable)
      return { ...opened, ...before, rows, path, fits: opened.why !== OF_ANOTHER_LOG, known: 0 };
    closeRows({ ...opened, rows, path });
    throw diskFull();
  } else logger.warn("index_rebuilt", { reason: "it does not fit the log" });
  if (rows.hasSoundState) reportLacking(rows, segments, options);
  rows.finish();
  closeDerived(opened.db, path);
  return openAnew(path, options, before);
}

/** An empty one beside what was found: a kill leaves that, which alone knows what the log lacks. */
function openAnew(path: string, { salt }: RecoveryOptions, before: Before): Opened & Before {
  const unfinished = unfinishedPath(path);
  const opened = openDerived(unfinished, ROWS_SCHEMA, salt);
  return { ...before, ...opened, rows: new Rows(opened.db), path: unfinished };
}

/** Has the rows go on in the place where the next start looks for them. */
function inPlace(path: string, { rows, db, ...opened }: Opened, { salt }: RecoveryOptions) {
  if (opened.path === path) return { db, path };
  rows.finish();
  closeWhole(db, opened.path);
  const placed = takePlace(opened.path, path, salt);
  rows.use(placed);
  return { db: placed, path };
}
