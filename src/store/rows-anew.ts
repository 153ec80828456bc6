// The rows made anew from the log, beside those in use: whoever reads meanwhile never sees half of them.
// Where the disk does not take them they are made in memory, until the next start.
import type { Database } from "bun:sqlite";
import { closeDerived, closeWhole, openDerived, removeDerived, replaceDerived } from "./derived-db.ts";
import { catchUp, type RecoveryOptions } from "./log/recovery.ts";
import type { Damage } from "./log/replay.ts";
import type { Segment } from "./log/segment.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";

export interface NewRows {
  /** What was wrong in the log. */
  readonly damages: Damage[];
  /** Puts them in place of the old ones, which must have been closed. */
  take(): { db: Database; path: string };
}

export const unfinishedPath = (path: string): string => (path === ":memory:" ? path : `${path}.new`);

/** What a kill in the middle has left. */
export const removeUnfinishedRows = (path: string): void => removeDerived(unfinishedPath(path));

/**
 * `knowLacking` tells the new rows what the log lacks. It does so before they take the place of the old ones, so that a
 * kill leaves either the old rows or new ones that know.
 */
export type MakeRows = (
  path: string,
  segments: readonly Segment[],
  knowLacking: (rows: Rows) => void,
  options: RecoveryOptions,
) => Promise<NewRows>;

export const makeRowsAnew: MakeRows = async (path, segments, knowLacking, options) => {
  const unfinished = unfinishedPath(path);
  try {
    removeUnfinishedRows(path);
    const { db, damages } = await make(unfinished, segments, knowLacking, options);
    closeWhole(db, unfinished);
    return { damages, take: () => ({ db: takePlace(unfinished, path, options.salt), path }) };
  } catch (error) {
    options.logger.warn("index_in_memory", { reason: (error as Error).message });
    return inMemory(path, segments, knowLacking, options);
  }
};

/** On a disk that needs the room of those in use. */
export const makeRowsInMemory: MakeRows = (path, segments, knowLacking, options) => {
  options.logger.warn("index_in_memory", { reason: "the disk is full" });
  return inMemory(path, segments, knowLacking, options);
};

const inMemory: MakeRows = async (path, segments, knowLacking, options) => {
  const { db, damages } = await make(":memory:", segments, knowLacking, options);
  const take = () => {
    leaveLacking(path, knowLacking, options.salt);
    return { db, path: ":memory:" };
  };
  return { damages, take };
};

/**
 * In place of rows that the disk does not take: what the log lacks, which is said nowhere else. Where it lacks nothing,
 * all their room is free.
 */
export function leaveLacking(path: string, knowLacking: (rows: Rows) => void, salt: number): void {
  const isNothing = writeLacking(":memory:", knowLacking, salt) === 0;
  removeIfPossible(unfinishedPath(path));
  removeIfPossible(path);
  if (isNothing) return;
  try {
    writeLacking(path, knowLacking, salt);
  } catch {
    removeIfPossible(path);
  }
}

/** Answers with how many segments that are. */
function writeLacking(path: string, knowLacking: (rows: Rows) => void, salt: number): number {
  const { db } = openDerived(path, ROWS_SCHEMA, salt);
  const rows = new Rows(db);
  knowLacking(rows);
  const { length } = rows.segments.lacking();
  rows.finish();
  closeDerived(db, path);
  return length;
}

/** Both must have been closed. */
export function takePlace(unfinished: string, path: string, salt: number): Database {
  replaceDerived(path, unfinished);
  return openDerived(path, ROWS_SCHEMA, salt).db;
}

async function make(
  path: string,
  segments: readonly Segment[],
  knowLacking: (rows: Rows) => void,
  options: RecoveryOptions,
) {
  const { db } = openDerived(path, ROWS_SCHEMA, options.salt);
  const rows = new Rows(db);
  try {
    const damages = await catchUp(rows, segments, options);
    knowLacking(rows);
    rows.finish();
    return { db, damages };
  } catch (error) {
    rows.finish();
    db.close();
    throw error;
  }
}

function removeIfPossible(path: string): void {
  try {
    removeDerived(path);
  } catch {
    // The next start finds that it is behind the log, or damaged.
  }
}
