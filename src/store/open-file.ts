// Opens the store in a data folder: checks the format, takes the lock, recovers, and puts the parts together.
import type { Logger } from "../lib/logger.ts";
import { derivedBytes, removeDerived } from "./derived-db.ts";
import { unusable } from "./errors.ts";
import { lockDataDir, type OwnLock } from "./lock.ts";
import { assertWritable, createRoot, type DataDir, dataDir, prepareFolders } from "./log/data-dir.ts";
import { type Disk, realDisk } from "./log/disk.ts";
import { FileBodies } from "./log/file-bodies.ts";
import { FileLog } from "./log/file-log.ts";
import { readFormat, settleFormat } from "./log/format.ts";
import { closeToOthers } from "./log/permissions.ts";
import { assertPlaces, moveMisplacedAside } from "./log/places.ts";
import type { RecoveryOptions } from "./log/recovery.ts";
import { Reserve } from "./log/reserve.ts";
import { partOfDisk, Room } from "./log/room.ts";
import type { Durability } from "./log/segment-files.ts";
import { MailStore } from "./mail-store.ts";
import { BACKUP_ADVICE, openRowsUpToLog } from "./open-rows.ts";
import type { Rows } from "./rows/rows.ts";
import { removeUnfinishedRows } from "./rows-anew.ts";
import { RowsDatabase } from "./rows-database.ts";
import { SearchClient } from "./search/search-client.ts";
import type { MessageScan, Store } from "./store.ts";
import { Upkeep } from "./upkeep.ts";

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
  /** Builds both indexes anew, and takes no mail out of the log for that. */
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
/**
 * Where a store has no lock file, somebody may have deleted it under a running server. That one looks for the file at
 * most some milliseconds before each write: after this time it has noticed, and writes no more.
 */
const LOSS_NOTICED_MS = 250;
const MIN_SEGMENT_BYTES = 256 << 10;

export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const dir = dataDir(options.dir);
  const lock = await takeDataDir(dir, options.logger);
  try {
    return await openLocked(dir, options, lock);
  } catch (error) {
    lock.release();
    throw unusable(dir.root, error);
  }
}

/** Refuses a newer format before anything is touched, then locks. Who has lost the lock must have seen it by then. */
async function takeDataDir(dir: DataDir, logger: Logger): Promise<OwnLock> {
  try {
    assertPlaces(dir);
    const format = readFormat(dir);
    createRoot(dir);
    const lock = lockDataDir(dir, logger);
    if (lock.isNew && format !== null) await Bun.sleep(LOSS_NOTICED_MS);
    return lock;
  } catch (error) {
    throw unusable(dir.root, error);
  }
}

/** Puts the folder in order, and brings its rows up to the log. */
async function recoverFolder(dir: DataDir, options: FileStoreOptions) {
  const { logger, startScan } = options;
  const isNew = readFormat(dir) === null;
  prepareFolders(dir);
  const salt = settleFormat(dir, logger);
  closeToOthers(dir, logger);
  removeUnfinishedRows(dir.rows);
  const onProgress = (done: number, total: number) => options.onProgress?.({ index: "rows", done, total });
  const anew = options.reindex === true;
  const recovery: RecoveryOptions = { dir, salt, startScan, logger, anew, onProgress };
  const recovered = await openRowsUpToLog(recovery);
  if (!isNew && recovered.segments.length === 0)
    logger.error("log_missing", { folder: dir.log, advice: BACKUP_ADVICE });
  // What the log has lost, the text index must lose too: it is built anew.
  if (recovered.isDamaged || !recovered.fits || anew) removeDerived(dir.search);
  return { recovery, recovered };
}

async function openLocked(dir: DataDir, options: FileStoreOptions, lock: OwnLock): Promise<Store> {
  const { logger, startScan, durability, now } = options;
  // A segment is rewritten in the room that is kept free, so a small disk has small ones.
  const segmentBytes = options.segmentBytes ?? partOfDisk(dir.root, MIN_SEGMENT_BYTES, SEGMENT_BYTES);
  moveMisplacedAside(dir, logger);
  const room = new Room(dir.root);
  const reserve = new Reserve(dir.reserve, room);
  const wasFull = reserve.releaseIfFull();
  const { recovery, recovered } = await recoverFolder(dir, options);
  const { salt } = recovery;
  const { rows, segments, large } = recovered;
  const log = new FileLog(
    {
      dir,
      salt,
      durability,
      largeBytes: options.largeBytes ?? LARGE_BYTES,
      segmentBytes,
      disk: options.disk ?? realDisk,
      room,
      lock: lock.file,
      logger,
      lastMissing: Math.max(lastLacking(rows), recovered.newestGone),
    },
    segments,
    rows.state,
    large.bytes,
  );
  const bodies = new FileBodies({
    dir,
    salt,
    segments: log.segments,
    assertInPlace: () => log.assertInPlace(),
  });
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
  const rowsDatabase = new RowsDatabase(recovered, {
    recovery,
    segments: log.segments,
    onExchanged: (hasLost) => search.rowsRebuilt(hasLost),
  });
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
      upkeep.freed();
      if (room.isShort) rows.giveBackSpace();
    },
    compact: () => upkeep.compact(),
    rebuildRows: () => rowsDatabase.rebuild(),
    canGiveUpRows: () => rowsDatabase.canBeGivenUp(),
    // Their room is for deleting, before the text index can take it.
    giveUpRows: () => rowsDatabase.giveUp(() => reserve.restore()),
    hasRoomFor: (bytes) => room.takes(bytes) && reserve.isThere(),
    hasRoomForChanges: () => !room.isVeryShort,
    isShortOfRoom: () => room.isShort,
    assertWritable: () => {
      log.segments.assertAllInPlace();
      assertWritable(dir);
      const oldest = rows.oldestLarge();
      if (oldest !== null) bodies.assertLargeInPlace(oldest);
    },
    giveUpReserve: () => reserve.release(),
    takeReserve: () => {
      rows.giveBackSpace();
      reserve.restore();
    },
    quiesce: async () => {
      reserve.stop();
      await upkeep.stop();
    },
    release: () => {
      rowsDatabase.close();
      lock.release();
    },
  });
  const upkeep = new Upkeep({
    store,
    log,
    bodies,
    rowsDatabase,
    search,
    reserve,
    segmentBytes,
    recovery,
    recovered,
  });
  // On a small disk mail could be faster; and what is missing of it where mail has been may have been used up.
  if (wasFull || segmentBytes < SEGMENT_BYTES || rows.state.last_seq > 0) reserve.restore();
  else reserve.restoreSoon();
  await upkeep.start();
  return store;
}

/** The one behind the last that is known of may have been begun as well, if that is missing. */
function lastLacking(rows: Rows): number {
  const last = rows.segments.lacking().at(-1);
  if (last === undefined) return 0;
  return last.left_bytes === 0 ? last.number + 1 : last.number;
}
