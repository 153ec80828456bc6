// `mailkeep verify`: reads the whole log, checks every checksum, builds the rows anew in memory and compares
// them with the index on disk. Changes nothing, and works where nothing can be changed.
import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../lib/logger.ts";
import { isOutdated, openDerived, openTrusted } from "./derived-db.ts";
import { asStoreError, isDiskFull, unusable } from "./errors.ts";
import { copyIndexes } from "./index-copies.ts";
import { type Lock, lockDataDir, lockToRead } from "./lock.ts";
import { type DataDir, damagedName, dataDir } from "./log/data-dir.ts";
import { trueFormat } from "./log/format.ts";
import { allMissing, hasComeBack, missingSegments, shortenedSegments } from "./log/lacking.ts";
import type { LogPosition } from "./log/log.ts";
import { assertOnlyCopies } from "./log/order.ts";
import { assertStoreIn } from "./log/places.ts";
import { surveySegments } from "./log/recovery.ts";
import { isRepeated } from "./log/repeats.ts";
import { type Damage, replay } from "./log/replay.ts";
import { listed, type Segment } from "./log/segment.ts";
import type { StoreProblem } from "./problem.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { HELD_SEQS, SEARCH_SCHEMA } from "./search/schema.ts";
import { textIndexFault } from "./search/text-check.ts";
import type { MessageScan } from "./store.ts";
import { checkBodies } from "./verify-bodies.ts";
import { compareIndex, walk } from "./verify-rows.ts";
import { missingMessage, shortenedMessage } from "./why-kept.ts";

export interface VerifyReport {
  readonly segments: number;
  readonly messages: number;
  /** Bytes of raw mail that is alive. */
  readonly message_bytes: number;
  readonly problems: StoreProblem[];
  /** Lags that the next start makes good by itself, and what was found lost or damaged before. */
  readonly notes: string[];
}

export interface VerifyOptions {
  readonly dir: string;
  readonly startScan: () => MessageScan;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function verifyStore(options: VerifyOptions): Promise<VerifyReport> {
  const dir = dataDir(options.dir);
  assertStoreIn(dir);
  const isWritable = mayWrite(dir.root);
  const lock = lockFor(dir, isWritable);
  try {
    if (isWritable)
      return await verifyLocked(dir, options).catch((error) => verifyOnFullDisk(dir, options, error));
    return await verifyCopies(dir, options);
  } catch (error) {
    throw asStoreError(error);
  } finally {
    lock.release();
  }
}

/** SQLite needs room to read an index. */
function verifyOnFullDisk(dir: DataDir, options: VerifyOptions, error: unknown): Promise<VerifyReport> {
  if (!isDiskFull(error)) throw error;
  return verifyCopies(dir, options);
}

async function verifyCopies(dir: DataDir, options: VerifyOptions): Promise<VerifyReport> {
  using copies = copyIndexes(dir);
  return await verifyLocked({ ...dir, ...copies.paths }, options);
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder that cannot be used is one line. */
function lockFor(dir: DataDir, isWritable: boolean): Lock {
  try {
    return isWritable ? lockDataDir(dir, silentLogger) : lockToRead(dir);
  } catch (error) {
    throw unusable(dir.root, error);
  }
}

async function verifyLocked(dir: DataDir, options: VerifyOptions): Promise<VerifyReport> {
  const { format, fault } = trueFormat(dir);
  const salt = format?.salt ?? 0;
  const problems: StoreProblem[] = [];
  const notes =
    fault === null ? [] : [`${dir.format}: ${fault}; the next start writes it by what the log says`];
  const { segments } = surveySegments(dir, salt);
  const damages: Damage[] = [];
  const memory = openDerived(":memory:", ROWS_SCHEMA, salt);
  const rows = new Rows(memory.db);
  await replay(rows, segments, {
    dir,
    salt,
    startScan: options.startScan,
    onDamage: (damage) => damages.push(damage),
    onProgress: options.onProgress ?? (() => {}),
  });
  if (damages.some(isRepeated)) assertOnlyCopies(segments, { dir, salt });
  const index = openTrusted(dir.rows, ROWS_SCHEMA, salt);
  const known = index.db === null ? null : new Rows(index.db);
  for (const damage of damages) {
    const copy = copyOf(damage, dir);
    if (known !== null && isUnfinished(damage, segments, known.state)) notes.push(unfinishedNote(damage));
    else if (copy !== null) notes.push(setAsideNote(damage, copy));
    else problems.push(damageProblem(damage));
  }
  const bodies = await checkBodies(dir, salt, segments, rows);
  problems.push(...bodies.problems);
  notes.push(...bodies.notes, ...lostNotes(rows, dir));
  const toldAtStart = new Set(rows.unsearchedDeletes());
  /** Both indexes, by the next start. */
  let isMadeAnew = false;
  if (known === null && isOutdated(dir.rows, ROWS_SCHEMA)) {
    notes.push("the index is not yet built by this version; it is built at the next start");
  } else if (known === null) {
    problems.push({
      kind: "index_unusable",
      message: `the index cannot be used (${index.why ?? "it is missing"}); it is rebuilt at the next start`,
    });
  } else {
    const missing = allMissing(known, segments);
    if (missing.length > 0) problems.push({ kind: "missing_segment", message: missingMessage(missing, dir) });
    const shortened = known.hasSoundState ? shortenedSegments(known, segments) : [];
    if (shortened.length > 0) {
      const numbers = shortened.map(({ number }) => number);
      problems.push({ kind: "shortened_segment", message: shortenedMessage(numbers, dir) });
    }
    const isBack = hasComeBack(known, segments, { dir, salt });
    isMadeAnew = isBack || missingSegments(known, segments).length > 0 || shortened.length > 0;
    if (isBack) notes.push("files were put back that the index does without; the next start builds it anew");
    else if (isBehind(known, rows, segments))
      notes.push("the index is behind the log; it catches up at the next start");
    else if (!isMadeAnew) problems.push(...compareIndex(rows, known, bodies.lost));
    for (const seq of known.unsearchedDeletes()) toldAtStart.add(seq);
    known.finish();
    index.db?.close();
  }
  if (!isMadeAnew) problems.push(...checkSearch(dir, salt, rows, toldAtStart, notes));
  const { messages, bytes } = rows.state;
  rows.finish();
  memory.db.close();
  return { segments: segments.length, messages, message_bytes: bytes, problems, notes };
}

/** The start that took them out has said so, and no other does. */
function lostNotes(rows: Rows, dir: DataDir): string[] {
  const files = rows.lostBodies().map((id) => `${id}.eml`);
  if (files.length === 0) return [];
  return [
    `of ${dir.large} ${listed(files)} was missing or damaged: put it back from a backup and start Mailkeep to have the mail again`,
  ];
}

const placeOf = ({ segment, at, end }: Damage): string => `segment ${segment.number}, bytes ${at} to ${end}`;

/** What a kill leaves of a write that nobody was told of: nothing is acknowledged before it is in the index. */
function isUnfinished(
  { segment, at, tail }: Damage,
  segments: readonly Segment[],
  index: LogPosition,
): boolean {
  if (!tail || segment !== segments.at(-1)) return false;
  return index.segment < segment.number || (index.segment === segment.number && index.at <= at);
}

const unfinishedNote = (damage: Damage): string =>
  `${placeOf(damage)}: an unfinished write, of which nothing was acknowledged; the next start drops it`;

/** Where a start that has reported it keeps it; null for what none has seen. */
function copyOf({ kind, segment, at, bytes }: Damage, dir: DataDir): string | null {
  if (kind === "repeated") return null;
  const path = join(dir.damaged, damagedName(segment.number, segment.generation, at));
  try {
    return readFileSync(path).equals(bytes) ? path : null;
  } catch {
    return null;
  }
}

const SET_ASIDE = "the next start sets it aside, and what it held is left only in a backup, if there is one";

const setAsideNote = (damage: Damage, copy: string): string =>
  `${placeOf(damage)}: was damaged and is set aside in ${copy}; what it held is left only in a backup, if there is one`;

function damageProblem(damage: Damage): StoreProblem {
  const { kind, tail } = damage;
  const where = placeOf(damage);
  if (kind === "repeated") {
    const harm = "they do no harm, the next start sets them aside";
    return { kind: "repeated_record", message: `${where}: records that are in the log before; ${harm}` };
  }
  return tail
    ? { kind: "torn_tail", message: `${where}: cut short, nothing sound follows; ${SET_ASIDE}` }
    : { kind: "damaged_record", message: `${where}: a record does not match its checksum; ${SET_ASIDE}` };
}

function isBehind(index: Rows, log: Rows, segments: readonly Segment[]): boolean {
  if (log.state.last_seq === 0) return false;
  const { segment, at } = index.state;
  if (segment < log.state.segment || (segment === log.state.segment && at < log.state.at)) return true;
  const known = new Map(index.segments.all().map(({ number, generation }) => [number, generation]));
  // A compaction was cut short: its file is there, the rows have yet to follow.
  return segments.some(({ number, generation }) => (known.get(number) ?? generation) < generation);
}

/** The text index holds exactly the live messages up to where it stands, and what the next start has it remove. */
function checkSearch(
  dir: DataDir,
  salt: number,
  rows: Rows,
  toldAtStart: ReadonlySet<number>,
  notes: string[],
): StoreProblem[] {
  const { db, why } = openTrusted(dir.search, SEARCH_SCHEMA, salt);
  if (db === null && why === null) {
    if (rows.state.messages > 0) notes.push("the text index is missing; it is built by itself");
    return [];
  }
  if (db === null && isOutdated(dir.search, SEARCH_SCHEMA)) {
    notes.push("the text index is not yet built by this version; it is built by itself");
    return [];
  }
  if (db === null) return [searchUnusable(why)];
  try {
    const fault = textIndexFault(db);
    if (fault !== null) return [searchUnusable(fault)];
    const { indexed_seq, cleared_seq } = db.query("SELECT * FROM state").get() as {
      indexed_seq: number;
      cleared_seq: number;
    };
    const isOfAnotherTime = cleared_seq !== rows.state.cleared_seq || indexed_seq > rows.state.last_seq;
    if (isOfAnotherTime || rows.after(indexed_seq, 1).length > 0)
      notes.push("the text index is behind the log; it catches up by itself");
    if (isOfAnotherTime) return [];
    const held = new Set((db.query(HELD_SEQS).values() as [number][]).map(([seq]) => seq));
    for (const row of walk(rows))
      if (row.seq <= indexed_seq && !held.delete(row.seq)) return [SEARCH_DIFFERS];
    const unfinished = db.query("SELECT seq FROM unfinished").values() as [number][];
    for (const seq of [...toldAtStart, ...unfinished.flat()]) held.delete(seq);
    return held.size === 0 ? [] : [SEARCH_DIFFERS];
  } catch (error) {
    return [searchUnusable((error as Error).message)];
  } finally {
    db.close();
  }
}

const searchUnusable = (why: string | null): StoreProblem => ({
  kind: "search_unusable",
  message: `the text index cannot be used (${why}); 'mailkeep reindex' rebuilds it`,
});

const SEARCH_DIFFERS: StoreProblem = {
  kind: "search_differs",
  message: "the text index does not hold exactly the stored messages; 'mailkeep reindex' rebuilds it",
};
