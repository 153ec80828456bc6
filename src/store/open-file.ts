// Opens the store in a data folder: checks the format, takes the lock, recovers, and puts the parts together.
import type { Logger } from "../lib/logger.ts";
import { closeDerived, derivedBytes, openDerived, removeDerived } from "./derived-db.ts";
import { asStoreError, isIndexDamage, unusable } from "./errors.ts";
import { lockDataDir } from "./lock.ts";
import { Checker } from "./log/checker.ts";
import { Compactor } from "./log/compactor.ts";
import {
  assertWritable,
  createRoot,
  type DataDir,
  dataDir,
  prepareDataDir,
  readFormat,
} from "./log/data-dir.ts";
import { type Disk, realDisk } from "./log/disk.ts";
import { FileBodies } from "./log/file-bodies.ts";
import { FileLog } from "./log/file-log.ts";
import { closeToOthers } from "./log/permissions.ts";
import { assertPlaces, moveFoldersAside } from "./log/places.ts";
import {
  catchUp,
  findSegments,
  missingSegments,
  type RecoveryOptions,
  rowsFitLog,
  sweepLarge,
  tidyFiles,
} from "./log/recovery.ts";
import { setRepeatedAside } from "./log/repeats.ts";
import { Reserve } from "./log/reserve.ts";
import { partOfDisk, Room } from "./log/room.ts";
import type { Segment } from "./log/segment.ts";
import type { Durability } from "./log/segment-files.ts";
import { MailStore } from "./mail-store.ts";
import type { MessageRow } from "./rows/row.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA, ROWS_VERSION } from "./rows/schema.ts";
import { makeRowsAnew, removeUnfinishedRows } from "./rows-anew.ts";
import { RowsChecker } from "./rows-checker.ts";
import { SearchClient } from "./search/search-client.ts";
import type { MessageScan, Store } from "./store.ts";

export interface IndexProgress {
  readonly index: "rows" | "search";
  readonly done: number;
  readonly total: number;
}

export interface FileStoreOptions {
  readonly dir: string;
  readonly startScan: () => MessageScan;
  readonly startSearchWorker: () => Worker;
  readonly durability: Durability;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly onProgress?: (progress: IndexProgress) => void;
  /** Throws both indexes away first, so that they are built anew. */
  readonly reindex?: boolean;
  /** Bytes from which on a message has a file of its own. */
  readonly largeBytes?: number;
  /** Bytes after which a segment is sealed. */
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

const LARGE_BYTES = 256 << 10;
/** With mail in the store the text index is opened soon after the start, but not during it. */
const SEARCH_WAKE_MS = 100;
const SEGMENT_BYTES = 16 << 20;
const MIN_SEGMENT_BYTES = 256 << 10;
const BACKUP_ADVICE = "the mail in it is gone unless you stop Mailkeep and put the file back from a backup";

export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const dir = dataDir(options.dir);
  const lock = takeDataDir(dir);
  try {
    return await openLocked(dir, options, lock);
  } catch (error) {
    lock.release();
    throw unusable(dir.root, error);
  }
}

/** Refuses a newer format before anything is touched, then locks. */
function takeDataDir(dir: DataDir): { release(): void } {
  try {
    assertPlaces(dir);
    readFormat(dir);
    createRoot(dir);
    return lockDataDir(dir);
  } catch (error) {
    throw unusable(dir.root, error);
  }
}

async function openLocked(
  dir: DataDir,
  options: FileStoreOptions,
  lock: { release(): void },
): Promise<Store> {
  const { logger, startScan, durability, now } = options;
  // A segment is rewritten in the room that is kept free, so a small disk has small ones.
  const segmentBytes = options.segmentBytes ?? partOfDisk(dir.root, MIN_SEGMENT_BYTES, SEGMENT_BYTES);
  moveFoldersAside(dir, logger);
  const room = new Room(dir.root);
  const reserve = new Reserve(dir.reserve, room);
  const wasFull = reserve.releaseIfFull();
  const isNew = readFormat(dir) === null;
  const salt = prepareDataDir(dir);
  closeToOthers(dir, logger);
  removeUnfinishedRows(dir.rows);
  if (options.reindex) for (const path of [dir.rows, dir.search]) removeDerived(path);
  const onProgress = (done: number, total: number) => options.onProgress?.({ index: "rows", done, total });
  const recovered = await openUpToLog({ dir, salt, startScan, logger, onProgress });
  const { rows, segments, isDamaged, large } = recovered;
  let { db, path } = recovered;
  if (!isNew && segments.length === 0)
    logger.error("log_missing", { folder: dir.log, advice: BACKUP_ADVICE });
  // What the log has lost, the text index must lose too: it is built anew.
  if (isDamaged || !recovered.fits) removeDerived(dir.search);
  const log = new FileLog(
    {
      dir,
      salt,
      durability,
      largeBytes: options.largeBytes ?? LARGE_BYTES,
      segmentBytes,
      disk: options.disk ?? realDisk,
      room,
      logger,
    },
    segments,
    rows.state,
    large.bytes,
  );
  const bodies = new FileBodies({ dir, salt, segments: log.segments });
  const search = new SearchClient({
    path: dir.search,
    salt,
    startWorker: options.startSearchWorker,
    rows,
    bodies,
    logger,
    onProgress: (done, total) => options.onProgress?.({ index: "search", done, total }),
  });
  if (rows.state.messages > 0) setTimeout(() => search.wake(), SEARCH_WAKE_MS).unref();
  const rebuildRows = async () => {
    const recovery = { dir, salt, startScan, logger, onProgress };
    const made = await makeRowsAnew(dir.rows, log.segments.all(), recovery);
    rows.finish();
    db.close();
    ({ db, path } = made.take());
    rows.use(db);
    // A file that cannot be trusted right after it was written is an empty one by now.
    const damages = [...made.damages, ...(await catchUp(rows, log.segments.all(), recovery))];
    const { isDamaged } = tidyFiles(rows, log.segments.all(), damages, recovery);
    search.rowsRebuilt(isDamaged);
  };
  const store: MailStore = new MailStore({
    log,
    bodies,
    rows,
    search,
    startScan,
    now,
    logger,
    indexBytes: () => derivedBytes(dir.rows) + derivedBytes(dir.search),
    freed: () => {
      compactor.poke();
      if (room.isShort) rows.giveBackSpace();
    },
    compact: () => compactor.run(),
    rebuildRows,
    hasRoomFor: (bytes) => room.takes(bytes),
    hasRoomForChanges: () => !room.isVeryShort,
    isShortOfRoom: () => room.isShort,
    assertWritable: () => assertWritable(dir),
    giveUpReserve: () => reserve.release(),
    takeReserve: () => {
      rows.giveBackSpace();
      reserve.restore();
    },
    quiesce: async () => {
      checker.stop();
      rowsChecker.stop();
      reserve.stop();
      await compactor.stop();
    },
    release: () => {
      closeDerived(db, path);
      lock.release();
    },
  });
  /** A message without its body leaves the log too; on a full disk, at a later start. */
  const takeOutLost = async (lost: readonly MessageRow[]) => {
    if (lost.some((row) => bodies.contradicts([row]))) return rebuildRows();
    for (const row of lost) logger.error("large_body_missing", { id: row.id, copy: bodies.keepAside(row) });
    if (lost.length > 0)
      await store
        .setAside(lost)
        .catch((error) => logger.warn("large_body_kept_listed", { reason: String(error) }));
  };
  const compactor = new Compactor({
    dir,
    salt,
    log,
    rows,
    logger,
    minDeadBytes: segmentBytes >> 4,
    maxMergedBytes: segmentBytes >> 3,
    between: (run) => store.between(run),
    searchSettled: () => search.settled(),
    onReserve: (run) => reserve.lend(run),
    healIndex: (cause) => store.heal(cause),
    searchLife: () => search.life,
  });
  const checker = new Checker({
    dir,
    salt,
    segments: log.segments,
    bodies,
    rows,
    logger,
    setAside: (damaged) => store.setAside(damaged),
    healIndex: () => store.heal("it does not fit the log"),
    isSound: (seq) => store.isSound(seq),
  });
  const rowsChecker = new RowsChecker({ rows, healIndex: (cause) => store.heal(cause) });
  // On a small disk mail could be faster.
  if (wasFull || segmentBytes < SEGMENT_BYTES) reserve.restore();
  else reserve.restoreSoon();
  await takeOutLost(large.lost);
  await checker.checkNewest();
  checker.checkRest();
  rowsChecker.start(recovered.isSealed || recovered.isNew);
  compactor.poke();
  return store;
}

/** The rows, brought up to the log; on a disk without room for them, in memory until the next start. */
async function openUpToLog(options: RecoveryOptions) {
  const { dir, logger } = options;
  try {
    return await openRecovered(dir.rows, options);
  } catch (error) {
    if (asStoreError(error).code !== "disk_full") throw error;
    logger.warn("index_in_memory", { reason: "the disk is full" });
    removeDerived(dir.rows);
    return openRecovered(":memory:", options);
  }
}

type OpenRows = ReturnType<typeof openRows> &
  ReturnType<typeof tidyFiles> & { path: string; large: ReturnType<typeof sweepLarge> };

/** Where records had to leave the log, or the index turns out to be wrong, all begins again with an empty one. */
async function openRecovered(path: string, options: RecoveryOptions, fitted = true): Promise<OpenRows> {
  const found = findSegments(options.dir, options.salt);
  const opened = openRows(path, found, options);
  const fits = opened.fits && fitted;
  try {
    const damages = await catchUp(opened.rows, found, options);
    if (!setRepeatedAside(damages, options)) {
      const tidied = tidyFiles(opened.rows, found, damages, options);
      const hasLost = tidied.isDamaged || !fits || tidied.segments.length === 0;
      const large = sweepLarge(opened.rows, options.dir, hasLost);
      return { path, ...opened, fits, ...tidied, large };
    }
  } catch (error) {
    if (opened.isNew || !isIndexDamage(error)) {
      closeRows(opened);
      throw error;
    }
    options.logger.warn("index_rebuilt", { reason: (error as Error).message });
  }
  closeRows(opened);
  removeDerived(path);
  return openRecovered(path, options, fits);
}

function closeRows({ rows, db }: ReturnType<typeof openRows>): void {
  rows.finish();
  db.close();
}

function openRows(path: string, segments: readonly Segment[], options: RecoveryOptions) {
  const { logger } = options;
  const schema = { version: ROWS_VERSION, sql: ROWS_SCHEMA };
  const opened = openDerived(path, schema);
  if (opened.why !== null) logger.warn("index_rebuilt", { reason: opened.why });
  const rows = new Rows(opened.db);
  if (rowsFitLog(rows, segments, options)) return { ...opened, rows, fits: true };
  logger.warn("index_rebuilt", { reason: "it does not fit the log" });
  if (rows.hasSoundState)
    for (const segment of missingSegments(rows, segments))
      logger.error("segment_missing", { segment, folder: options.dir.log, advice: BACKUP_ADVICE });
  opened.db.close();
  removeDerived(path);
  const anew = openDerived(path, schema);
  return { ...anew, rows: new Rows(anew.db), fits: false };
}
