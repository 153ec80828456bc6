// The text index as the worker keeps it: changes gather before they are committed, and as long as the disk has no
// room for them they go to memory.
import { dirname } from "node:path";
import { removeDerived } from "../derived-db.ts";
import { isDiskFull } from "../errors.ts";
import { Room } from "../log/room.ts";
import { StoreError } from "../store.ts";
import { MergeTurns } from "./merge-turns.ts";
import type { FromWorker, Opening } from "./protocol.ts";
import { SpilledIndex } from "./spilled-index.ts";
import { TextIndex } from "./text-index.ts";
import { TidySchedule } from "./tidy-schedule.ts";

export interface KeptIndexOptions {
  readonly send: (message: FromWorker) => void;
  /** Runs what a timer is set for. */
  readonly run: (act: () => void) => void;
  /** What was added since the last commit is lost: it will be handed over again. */
  readonly forget: () => void;
}

/** Changes gather in one transaction at most this long and this many. */
const COMMIT_AFTER_MS = 1000;
const COMMIT_AFTER_CHANGES = 4000;
/** And for so much work: a commit takes about a tenth of it, in one go. */
const COMMIT_AFTER_WORK_MS = 100;
const TIDY_AFTER_MS = 1000;
/** Not while mail keeps coming in, of which there is a batch at least every two seconds. */
const MERGE_AFTER_MS = 2500;
/** Of the room that mail leaves to others the index may use the rest: mail that was taken in is to be found. */
const FLOOR_SHARE = 0.75;
/** Text goes to the write-ahead log first and then to the index. */
const WRITES_PER_BYTE = 2;

export class KeptIndex {
  readonly #options: KeptIndexOptions;
  readonly #tidying: TidySchedule;
  readonly #merging: TidySchedule;
  readonly #mergeTurns = new MergeTurns();
  #path = ":memory:";
  #salt = 0;
  #file: TextIndex | null = null;
  /** What is added goes here as long as the disk has no room. */
  #spilled: SpilledIndex | null = null;
  #room: Room | null = null;
  /** What was handed over is lost for want of room, and the main thread has yet to hear of it. */
  #isFull = false;
  #uncommitted = 0;
  #uncommittedBytes = 0;
  #uncommittedWorkMs = 0;
  /** Removals that are not safe in the file yet. */
  #removed: number[] = [];
  #timer: Timer | null = null;

  constructor(options: KeptIndexOptions) {
    this.#options = options;
    this.#tidying = new TidySchedule({
      afterMs: TIDY_AFTER_MS,
      start: () => this.#file?.startTidying() ?? null,
      prepare: () => this.#isCommitted() && this.#spilled === null,
      run: options.run,
    });
    this.#merging = new TidySchedule({
      afterMs: MERGE_AFTER_MS,
      start: () => () => (this.current.merge() ? "more" : "done"),
      prepare: () => this.#isCommitted() && this.#mayMerge(),
      run: options.run,
    });
  }

  open({ path, salt, clearedSeq, lastSeq, removed }: Opening): void {
    this.#path = path;
    this.#salt = salt;
    const found = this.#use(new TextIndex(path, salt));
    if (found.clearedSeq !== clearedSeq || found.indexedSeq > lastSeq) this.#empty(clearedSeq);
    const { why } = found;
    const file = this.#opened();
    const { indexedSeq, unfinished } = file;
    this.#options.send({
      kind: "opened",
      indexedSeq,
      unfinished,
      held: file.held() - file.heldOf(removed),
      why,
    });
    if (file.isReadOnly) this.#standStill();
    this.#merging.plan();
  }

  /** Where text goes, and what is searched. */
  get current(): TextIndex | SpilledIndex {
    return this.#spilled ?? this.#opened();
  }

  /** Changes the index, unless the disk is full or turns out to be. */
  unlessFull(change: () => void): void {
    if (this.#isFull) return;
    try {
      change();
    } catch (error) {
      if (this.#spilled !== null || !isDiskFull(error)) throw error;
      this.#standStill();
    }
  }

  /** That this much text can be added. What waits in memory counts as well: the disk does not show it yet. */
  mustTake(bytes: number): void {
    const needed = (this.#uncommittedBytes + bytes) * WRITES_PER_BYTE;
    this.#spilled?.mustTake(bytes);
    if (this.#spilled !== null || this.#room?.takes(needed) !== false) return;
    this.commit();
    throw new StoreError("disk_full", "the disk has no room for the text index");
  }

  /** A message was added, with so many bytes that are not written yet. */
  added(bytes: number): void {
    if (this.#spilled === null) this.#uncommittedBytes += bytes;
    this.#changed(1);
  }

  /** Texts were added for a turn that took so long. */
  worked(ms: number): void {
    this.#mergeTurns.added(this.current.segments());
    this.#merging.planAnew();
    this.#uncommittedWorkMs += ms;
    if (this.#uncommittedWorkMs >= COMMIT_AFTER_WORK_MS) this.commit();
  }

  /** There are too many segments to add more. */
  get mustMerge(): boolean {
    return this.#mergeTurns.isDue;
  }

  merge(): void {
    this.#mergeTurns.merged();
    this.unlessFull(() => this.#mayMerge() && this.current.merge());
  }

  remove(seqs: readonly number[]): void {
    this.#removed.push(...seqs);
    this.unlessFull(() => {
      for (const seq of seqs) this.current.remove(seq);
      this.#changed(seqs.length);
    });
  }

  clear(clearedSeq: number): void {
    this.#empty(clearedSeq);
    this.#spilled?.clear(clearedSeq);
    this.#removed = [];
  }

  /** Goes on after the disk was full: in memory, or in the file when it has room again. */
  resume(): void {
    const wasFull = this.#isFull;
    this.#isFull = false;
    if (this.#spilled === null) {
      if (wasFull) this.#spilled = new SpilledIndex(this.#opened(), this.#removed);
    } else if (this.#hasRoomFor(this.#spilled)) {
      this.#options.forget();
      this.#spilled.close();
      this.#spilled = null;
    }
    const { indexedSeq, unfinished } = this.current;
    this.#merging.planAnew();
    this.#options.send({ kind: "resumed", indexedSeq, unfinished, inMemory: this.#spilled !== null });
  }

  commit(): void {
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#uncommittedBytes = 0;
    this.#uncommittedWorkMs = 0;
    if (this.#spilled === null) this.#save();
  }

  /** What lacks some of its text is handed over again at the next start. */
  close(): void {
    this.#options.forget();
    this.unlessFull(() => this.commit());
    this.#tidying.stop();
    this.#merging.stop();
    this.#file?.close();
    this.#file = null;
  }

  /** To empty a file takes room: on a full disk it is replaced by a new one, or by one in memory until the next start. */
  #empty(clearedSeq: number): void {
    const attempts = [
      () => this.#opened(),
      () => this.#replacedBy(() => new TextIndex(this.#path, this.#salt)),
      () => this.#replacedBy(() => new TextIndex(":memory:")),
    ];
    attempts.some((attempt) => emptied(attempt(), clearedSeq));
  }

  #replacedBy(make: () => TextIndex): TextIndex {
    const file = this.#opened();
    file.rollback();
    file.close();
    removeDerived(this.#path);
    this.#spilled?.close();
    this.#spilled = null;
    return this.#use(make());
  }

  #use(file: TextIndex): TextIndex {
    this.#file = file;
    this.#room = file.isInMemory ? null : new Room(dirname(this.#path), FLOOR_SHARE);
    return file;
  }

  #changed(changes: number): void {
    this.#uncommitted += changes;
    if (this.#uncommitted >= COMMIT_AFTER_CHANGES) this.commit();
    else this.#timer ??= setTimeout(() => this.#commitInTime(), COMMIT_AFTER_MS);
  }

  #commitInTime(): void {
    this.#options.run(() => this.unlessFull(() => this.commit()));
  }

  #standStill(): void {
    this.#isFull = true;
    this.#options.forget();
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#uncommittedBytes = 0;
    this.#opened().rollback();
    this.#options.send({ kind: "full" });
  }

  /** If so, the file is without what was removed meanwhile. */
  #hasRoomFor({ bytesNeeded }: SpilledIndex): boolean {
    if (this.#room?.takes(bytesNeeded * WRITES_PER_BYTE) === false) return false;
    try {
      this.#opened().makeWritable();
      for (const seq of this.#removed) this.#opened().remove(seq);
      this.#save();
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#opened().rollback();
      return false;
    }
  }

  #save(): void {
    this.#file?.commit();
    if (this.#removed.length === 0) return;
    if (!this.#standsIn) this.#options.send({ kind: "removed", seqs: this.#removed });
    this.#removed = [];
    this.#tidying.plan();
  }

  /** In memory, for a file that could not be opened and holds what is removed here until the next start. */
  get #standsIn(): boolean {
    return this.#file?.isInMemory === true && this.#path !== ":memory:";
  }

  #isCommitted(): boolean {
    if (this.#file === null) return false;
    this.unlessFull(() => this.commit());
    return !this.#isFull;
  }

  /** It takes room before it gives some back. */
  #mayMerge(): boolean {
    return this.#spilled !== null || this.#room?.isShort !== true;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #opened(): TextIndex {
    if (this.#file === null) throw new Error("the text index is not open");
    return this.#file;
  }
}

/** False when the disk has no room for that. */
function emptied(file: TextIndex, clearedSeq: number): boolean {
  try {
    file.clear(clearedSeq);
    return true;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return false;
  }
}
