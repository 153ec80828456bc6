// What the search worker is told: new messages in batches, bounded in number, removals and clears in between.
// When the worker is behind, batches are read from the rows instead of waiting in memory. A worker that runs out
// of room on the disk is handed again what it could not keep.
import type { Logger } from "../../lib/logger.ts";
import type { Bodies } from "../log/log.ts";
import type { MessageRow } from "../rows/row.ts";
import type { RowQueries } from "../rows/row-queries.ts";
import { Backlog, jobOf } from "./backlog.ts";
import { Lag } from "./lag.ts";
import { Lull } from "./lull.ts";
import type { Addition, IndexedTurn } from "./protocol.ts";
import { Samples } from "./samples.ts";
import type { WorkerLink } from "./worker-link.ts";

export interface HandoverOptions {
  readonly rows: RowQueries;
  readonly bodies: Bodies;
  readonly logger: Logger;
  readonly onProgress: (done: number, total: number) => void;
  /** `reachedSeq` may have grown. */
  readonly advanced: () => void;
}

const BATCH_MESSAGES = 64;
/**
 * As long as mail keeps coming in and nobody asks, indexing waits: it would slow the mail down. But the first goes on
 * at once, for it tells how fast the rest will be; and the rest before its senders would have to wait.
 */
const SAMPLE_BYTES = 32 << 10;
const MAX_WAITING_SHARE = 0.75;
/** In memory the bytes themselves are handed over, so fewer gather. */
const MAX_WAITING_JOBS = 64;
const MAX_BATCHES_UNDER_WAY = 8;
/** Of new messages more: each may be a batch whose sender waits. */
const MAX_NEW_BATCHES_UNDER_WAY = 256;
/** How far behind the worker must be at its start for progress to be shown. */
const WORTH_SHOWING = 1000;
/** How often a worker without room on the disk is asked to go on. */
const RESUME_MS = 2000;

export class Handover {
  readonly #options: HandoverOptions;
  /** The worker, as long as its index is open. */
  #link: WorkerLink | null = null;
  /** Messages up to this seq have been handed over. */
  #sentSeq = 0;
  readonly #backlog: Backlog;
  /** The worker lacks more than the backlog holds: the rest is read from the rows. */
  #behind = true;
  #underWay = 0;
  readonly #lag = new Lag();
  readonly #samples: Samples;
  /** The worker's index lacks messages up to here since its start. */
  #lackedSeq = 0;
  readonly #lull = new Lull(() => this.send());
  #showFrom: number | null = null;
  /** `memory`: the disk has no room for the index, which goes on in memory. `asked`: whether there is some now. */
  #room: "there" | "memory" | "asked" = "there";
  #resumeTimer: Timer | null = null;
  /** That there is no room has been logged. */
  #isSpilled = false;
  /** The index may hold messages that the log has lost. */
  #mustStartAnew = false;
  #life = 0;

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.#backlog = new Backlog(options.bodies);
    this.#samples = new Samples(options.bodies);
  }

  /** Changes whenever messages that were handed over before may be handed over again. */
  get life(): number {
    return this.#life;
  }

  /** Everything up to this seq has been told to the worker. */
  get reachedSeq(): number {
    if (this.#behind) return this.#sentSeq;
    return this.#backlog.firstSeq - 1;
  }

  /** All messages that were acknowledged are up to here, but for long ones whose senders waited. */
  get acknowledgedSeq(): number {
    return this.#lag.acknowledgedSeq;
  }

  /** Whether the sender of a message just added must wait until it is indexed. Asked once, then it is forgotten. */
  isLate(message: { readonly id: string; readonly size: number }): boolean {
    return this.#lag.takeLate(message) && !this.#isCatchingUp;
  }

  /** Old mail is being indexed: searches wait for that. */
  get #isCatchingUp(): boolean {
    return this.#sentSeq < this.#lackedSeq;
  }

  /**
   * A worker has opened an index that holds the messages up to a seq, but for some, and knows of the clears up to
   * another. Of those it has not finished, what is not there any more goes like all that was deleted.
   */
  begin(link: WorkerLink, indexedSeq: number, unfinished: readonly number[], clearedSeq: number): void {
    const { rows } = this.#options;
    const missing = rows.rowsOf(unfinished);
    const there = new Set(missing.map(({ seq }) => seq));
    this.#link = link;
    this.#beginLife();
    this.#lag.forgetBytes();
    this.#underWay = 0;
    this.#room = "there";
    this.#behind = true;
    this.#sentSeq = indexedSeq;
    if (rows.state.cleared_seq !== clearedSeq) this.clear();
    this.#startAnew();
    this.#lackedSeq = rows.state.last_seq;
    this.#showFrom = rows.state.last_seq - this.#sentSeq > WORTH_SHOWING ? this.#sentSeq : null;
    const removed = [...rows.unsearchedDeletes(), ...unfinished.filter((seq) => !there.has(seq))];
    if (removed.length > 0) link.tell({ kind: "remove", seqs: removed });
    this.#sendAgain(missing);
    this.send();
  }

  /** What the index of the next worker holds is not to be trusted. */
  beginAnew(): void {
    this.#mustStartAnew = true;
  }

  /** The worker is gone: what it lacks is up to the next one's index. */
  interrupt(): void {
    this.#link = null;
    this.#fallBehind();
  }

  add(row: MessageRow): void {
    this.#lag.add(row, this.#isCatchingUp);
    if (this.#behind) return;
    this.#backlog.add(row);
    const sample = this.#samples.take(row, this.#lag.bytes);
    if (sample !== null) this.#link?.tell({ kind: "sample", additions: sample });
    if (this.#mustNotWait()) this.send();
    else this.#lull.happened();
  }

  remove(seqs: readonly number[]): void {
    this.send();
    if (this.#backlog.length > 0) this.#fallBehind();
    this.#link?.tell({ kind: "remove", seqs });
  }

  clear(): void {
    const { cleared_seq } = this.#options.rows.state;
    this.#backlog.clear();
    this.#lag.forgetBytes();
    this.#sentSeq = Math.max(this.#sentSeq, cleared_seq);
    this.#link?.tell({ kind: "clear", clearedSeq: cleared_seq });
    this.#options.advanced();
  }

  /** The rows were rebuilt: what was read from them meanwhile may have been incomplete. What the log has lost goes. */
  rowsRebuilt(hasLost: boolean): void {
    this.#fallBehind();
    this.#mustStartAnew ||= hasLost;
    this.#startAnew();
    this.send();
  }

  /** The worker has indexed some of a batch. */
  indexed(turn: IndexedTurn): void {
    this.#lag.indexed(turn);
  }

  /** The worker knows what a byte of the newest messages takes. */
  sampled(msPerByte: number): void {
    this.#lag.sampled(msPerByte);
    if (this.#mustNotWait()) this.send();
  }

  /** The worker is done with a batch. */
  batchDone(): void {
    this.#underWay--;
    if (this.#underWay === 0 && !this.#behind && this.#backlog.length === 0) this.#lag.end();
    this.send();
  }

  /** Hands over as much as there is room for. */
  send(): void {
    this.#lull.cancel();
    if (this.#link === null || this.#room === "asked") return;
    while (this.#behind && this.#underWay < MAX_BATCHES_UNDER_WAY) this.#sendFromRows();
    if (this.#underWay < MAX_NEW_BATCHES_UNDER_WAY && this.#backlog.length > 0) this.#sendBacklog();
    if (this.#backlog.length > MAX_WAITING_JOBS * MAX_BATCHES_UNDER_WAY) this.#fallBehind();
    this.#options.advanced();
  }

  /** Questions wait for the answer: what was passed over is handed over again. */
  askForRoom(): void {
    if (this.#room === "asked" || this.#link === null) return;
    this.#room = "asked";
    this.#fallBehind();
    this.#sentSeq = 0;
    this.#link.tell({ kind: "resume" });
  }

  resume(indexedSeq: number, missing: readonly MessageRow[], inMemory: boolean): void {
    const { logger } = this.#options;
    if (inMemory && !this.#isSpilled) logger.warn("search_index_in_memory", { reason: "the disk is full" });
    if (!inMemory && this.#isSpilled) logger.info("search_index_on_disk");
    this.#isSpilled = inMemory;
    this.#beginLife();
    this.#room = inMemory ? "memory" : "there";
    this.#sentSeq = indexedSeq;
    this.#fallBehind();
    this.#startAnew();
    this.#sendAgain(missing);
    this.send();
    if (!inMemory) return;
    if (this.#resumeTimer !== null) clearTimeout(this.#resumeTimer);
    this.#resumeTimer = setTimeout(() => this.#room === "memory" && this.askForRoom(), RESUME_MS);
    this.#resumeTimer.unref();
  }

  stop(): void {
    this.#lull.cancel();
    if (this.#resumeTimer !== null) clearTimeout(this.#resumeTimer);
  }

  #mustNotWait(): boolean {
    const { length, bytes } = this.#backlog;
    if (length >= MAX_WAITING_JOBS) return true;
    const { pace } = this.#lag;
    return pace.isKnown ? pace.isTooMuch(bytes / MAX_WAITING_SHARE) : bytes >= SAMPLE_BYTES;
  }

  #startAnew(): void {
    if (!this.#mustStartAnew || this.#link === null || this.#room === "asked") return;
    this.#mustStartAnew = false;
    this.#beginLife();
    this.#sentSeq = this.#options.rows.state.cleared_seq;
    this.#link.tell({ kind: "clear", clearedSeq: this.#sentSeq });
  }

  /** Whatever was acknowledged may be missing from the index. */
  #beginLife(): void {
    this.#life++;
    this.#lag.acknowledgeUpTo(this.#options.rows.state.last_seq);
  }

  #fallBehind(): void {
    this.#backlog.clear();
    this.#behind = true;
  }

  /** Messages that the index knows without all of their text, unless it was cleared and gets all anew. */
  #sendAgain(missing: readonly MessageRow[]): void {
    this.#tellOf(missing.filter(({ seq }) => seq <= this.#sentSeq));
  }

  #sendFromRows(): void {
    const { rows, onProgress } = this.#options;
    const batch = rows.after(this.#sentSeq, BATCH_MESSAGES);
    if (batch.length < BATCH_MESSAGES) this.#behind = false;
    this.#tellOf(batch);
    this.#sentSeq = batch.at(-1)?.seq ?? this.#sentSeq;
    if (this.#showFrom === null) return;
    onProgress(this.#sentSeq - this.#showFrom, rows.state.last_seq - this.#showFrom);
    if (!this.#behind) this.#showFrom = null;
  }

  #sendBacklog(): void {
    this.#sentSeq = this.#backlog.lastSeq;
    this.#tell(this.#backlog.take());
  }

  #tellOf(rows: readonly MessageRow[]): void {
    const { bodies } = this.#options;
    if (rows.length > 0) this.#tell(rows.map((row) => jobOf(row, bodies)));
  }

  #tell(additions: readonly Addition[]): void {
    this.#underWay++;
    const carriesBytes = additions.some((addition) => "source" in addition && !("path" in addition.source));
    this.#link?.tell({ kind: "add", additions: carriesBytes ? additions : JSON.stringify(additions) });
  }
}
