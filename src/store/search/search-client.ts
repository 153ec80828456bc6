// The main thread's side of the text index: hands new messages to the worker in batches, bounded in number,
// and asks it. When the worker is behind, batches are read from the rows instead of waiting in memory.
import type { Logger } from "../../lib/logger.ts";
import type { MessageFilter } from "../../model/index.ts";
import type { Log } from "../log/log.ts";
import type { SeqRange } from "../rows/filter-sql.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { StoreError } from "../store.ts";
import { matchExpression } from "./match.ts";
import type { Answer, IndexJob, Question } from "./protocol.ts";
import type { Found, SearchIndex } from "./search-index.ts";
import { WorkerDied, WorkerLink } from "./worker-link.ts";

export interface SearchClientOptions {
  readonly path: string;
  readonly startWorker: () => Worker;
  readonly rows: Rows;
  readonly log: Log;
  readonly logger: Logger;
  readonly onProgress: (done: number, total: number) => void;
}

const BATCH_MESSAGES = 64;
const BATCH_WAIT_MS = 5;
const MAX_BATCHES_UNDER_WAY = 8;
/** Fewer hits than this are looked up one by one; for more, the filter's own index is walked. */
const FEW_HITS = 2000;
/** How far behind the worker must be at its start for progress to be shown. */
const WORTH_SHOWING = 1000;
const MAX_ATTEMPTS = 2;
const MAX_DEATHS = 3;
/** How often a worker without room on the disk is asked to go on. */
const RESUME_MS = 2000;
const MAX_RESTART_MS = 30_000;
const NOTHING: Found = { seqs: [], total: 0 };

export class SearchClient implements SearchIndex {
  readonly #options: SearchClientOptions;
  #link: WorkerLink | null = null;
  /** Messages up to this seq have been handed over. */
  #sentSeq = 0;
  #waiting: MessageRow[] = [];
  /** The worker lacks more than `waiting` holds: the rest is read from the rows. */
  #behind = true;
  #underWay = 0;
  #batchTimer: Timer | null = null;
  #showFrom: number | null = null;
  #whenCaughtUp: { seq: number; answer: PromiseWithResolvers<void> }[] = [];
  /** Deaths of the worker since it last did something useful. */
  #deaths = 0;
  #restartTimer: Timer | null = null;
  /** `full`: the disk has no room for the index, which answers for what it holds. `asked`: whether there is now. */
  #room: "there" | "full" | "asked" = "there";
  #resumeTimer: Timer | null = null;
  /** That it is behind for want of room has been logged. */
  #isPaused = false;
  /** What the log ended with when the store was opened, until the index has been judged by it. */
  #seqAtStart: number | null;
  #closed = false;

  constructor(options: SearchClientOptions) {
    this.#options = options;
    this.#seqAtStart = options.rows.state.last_seq;
  }

  /** Starts the worker unless it is there. */
  wake(): void {
    if (this.#closed || this.#link !== null) return;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    this.#restartTimer = null;
    const { path, rows } = this.#options;
    const worker = this.#startWorker();
    if (worker === null) return;
    const clearedSeq = rows.state.cleared_seq;
    this.#link = new WorkerLink(
      worker,
      { kind: "open", path, clearedSeq, lastSeq: this.#seqAtStart ?? rows.state.last_seq },
      {
        opened: (indexedSeq, why) => this.#begin(indexedSeq, clearedSeq, why),
        added: () => this.#batchDone(),
        full: () => this.#pause(),
        resumed: (seq) => this.#resumed(seq),
        removed: (seqs) => rows.forgetUnsearchedDeletes(seqs),
        died: (cause) => this.#restartLater(cause),
      },
    );
  }

  /** A worker that cannot be started now is tried again like one that has died. */
  #startWorker(): Worker | null {
    try {
      return this.#options.startWorker();
    } catch (error) {
      this.#restartLater(new WorkerDied(error instanceof Error ? error.message : String(error), ""));
      return null;
    }
  }

  add(row: MessageRow): void {
    if (this.#restartTimer === null) this.wake();
    // Where mail is taken in, there is room for its text.
    this.#askForRoom();
    if (this.#behind) return;
    this.#waiting.push(row);
    if (this.#waiting.length >= BATCH_MESSAGES) this.#send();
    else this.#batchTimer ??= setTimeout(() => this.#send(), BATCH_WAIT_MS);
  }

  remove(seqs: readonly number[]): void {
    this.#send();
    if (this.#waiting.length > 0) this.#fallBehind();
    if (this.#link?.isOpen) this.#link.tell({ kind: "remove", seqs });
  }

  clear(): void {
    const { cleared_seq } = this.#options.rows.state;
    this.#waiting = [];
    this.#sentSeq = Math.max(this.#sentSeq, cleared_seq);
    if (this.#link?.isOpen) this.#link.tell({ kind: "clear", clearedSeq: cleared_seq });
    this.#answerCaughtUp();
  }

  async find(
    q: string,
    filter: MessageFilter,
    range: SeqRange,
    limit: number,
    offset: number,
  ): Promise<Found> {
    const match = matchExpression(q);
    if (match === null) return NOTHING;
    if (onlyText(filter)) {
      const before = range.before ?? Number.MAX_SAFE_INTEGER;
      const { seqs, total } = await this.#ask({ kind: "page", match, before, limit, offset });
      return { seqs: [...seqs], total };
    }
    const all = await this.#matching(match, filter);
    const end = range.before === undefined ? all.length : countBelow(all, range.before);
    const page = all.slice(Math.max(0, end - offset - limit), Math.max(0, end - offset));
    return { seqs: page.reverse(), total: all.length };
  }

  async all(q: string, filter: MessageFilter, { after = 0 }: SeqRange): Promise<number[]> {
    const match = matchExpression(q);
    if (match === null) return [];
    const matching = await this.#matching(match, filter);
    return matching.filter((seq) => seq > after);
  }

  /** The rows were rebuilt: what was read from them meanwhile may have been incomplete. */
  rowsRebuilt(): void {
    this.#fallBehind();
    this.#send();
  }

  /** Resolves when the worker has committed everything told so far and holds no file open. */
  async settled(): Promise<void> {
    await this.#ask({ kind: "barrier" });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#batchTimer, this.#restartTimer, this.#resumeTimer])
      if (timer !== null) clearTimeout(timer);
    if (this.#link?.isOpen) {
      this.#send();
      await this.#link.ask({ kind: "close" }).catch(() => {});
    }
    this.#link?.terminate();
    this.#rejectWaiting(new StoreError("closed", "the store is closed"));
  }

  /** Everything that matches text and filter, oldest first. */
  async #matching(match: string, filter: MessageFilter): Promise<number[]> {
    const { seqs } = await this.#ask({ kind: "all", match });
    const { rows } = this.#options;
    if (onlyText(filter)) return [...seqs];
    if (seqs.length <= FEW_HITS) return rows.keep(seqs, filter);
    return common(seqs, rows.seqs(filter, {}, -1));
  }

  /** Asks a second worker when the first dies over it. */
  async #ask(question: Question): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        const link = await this.#caughtUp(this.#options.rows.state.last_seq);
        return await link.ask(question);
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error;
        if (attempt === MAX_ATTEMPTS) throw error.asStoreError();
      }
    }
  }

  /** Everything up to this seq has been told to the worker. What waits for room has not, unless the disk lacks it. */
  get #handedOver(): number {
    if (this.#room === "full") return Number.POSITIVE_INFINITY;
    if (this.#behind) return this.#sentSeq;
    return (this.#waiting[0]?.seq ?? Number.POSITIVE_INFINITY) - 1;
  }

  /** The link, once everything up to this seq has been handed over. */
  async #caughtUp(seq: number): Promise<WorkerLink> {
    this.wake();
    this.#send();
    while (this.#link === null || !this.#link.isOpen || this.#handedOver < seq) {
      const answer = Promise.withResolvers<void>();
      this.#whenCaughtUp.push({ seq, answer });
      await answer.promise;
    }
    this.#send();
    return this.#link;
  }

  #begin(indexedSeq: number, openedClearedSeq: number, why: string | null): void {
    const { rows, logger } = this.#options;
    if (why !== null) logger.warn("search_index_rebuilt", { reason: why });
    this.#seqAtStart = null;
    this.#underWay = 0;
    this.#room = "there";
    this.#behind = true;
    this.#sentSeq = indexedSeq;
    if (rows.state.cleared_seq !== openedClearedSeq) this.clear();
    const missing = rows.state.last_seq - this.#sentSeq;
    this.#showFrom = missing > WORTH_SHOWING ? this.#sentSeq : null;
    const removed = rows.unsearchedDeletes();
    if (removed.length > 0) this.#link?.tell({ kind: "remove", seqs: removed });
    this.#send();
  }

  #fallBehind(): void {
    this.#waiting = [];
    this.#behind = true;
  }

  #batchDone(): void {
    this.#underWay--;
    this.#deaths = 0;
    this.#send();
  }

  #pause(): void {
    if (!this.#isPaused) this.#options.logger.warn("search_index_paused", { reason: "the disk is full" });
    this.#isPaused = true;
    this.#room = "full";
    this.#fallBehind();
    this.#answerCaughtUp();
    if (this.#resumeTimer !== null) clearTimeout(this.#resumeTimer);
    this.#resumeTimer = setTimeout(() => this.#askForRoom(), RESUME_MS);
    this.#resumeTimer.unref();
  }

  /** Questions wait for the answer: what was passed over may be handed over again. */
  #askForRoom(): void {
    if (this.#room !== "full" || !this.#link?.isOpen) return;
    this.#room = "asked";
    this.#sentSeq = 0;
    this.#link.tell({ kind: "resume" });
  }

  #resumed(indexedSeq: number): void {
    this.#options.logger.info("search_index_resumed");
    this.#isPaused = false;
    this.#room = "there";
    this.#sentSeq = indexedSeq;
    this.#fallBehind();
    this.#send();
  }

  #restartLater(cause: WorkerDied): void {
    this.#options.logger.error("search_worker_died", { reason: cause.message });
    this.#link = null;
    this.#fallBehind();
    this.#deaths++;
    if (this.#deaths >= MAX_DEATHS) this.#rejectWaiting(cause.asStoreError());
    const delay = this.#whenCaughtUp.length > 0 ? 0 : Math.min(MAX_RESTART_MS, 100 * 2 ** this.#deaths);
    this.#restartTimer = setTimeout(() => this.wake(), delay);
  }

  #rejectWaiting(error: StoreError): void {
    for (const { answer } of this.#whenCaughtUp) answer.reject(error);
    this.#whenCaughtUp = [];
  }

  /** Hands over as much as there is room for. */
  #send(): void {
    if (this.#batchTimer !== null) clearTimeout(this.#batchTimer);
    this.#batchTimer = null;
    if (!this.#link?.isOpen || this.#room !== "there") return;
    while (this.#underWay < MAX_BATCHES_UNDER_WAY) {
      const batch = this.#nextBatch();
      if (batch.length === 0) break;
      this.#sendBatch(batch);
    }
    if (this.#waiting.length > BATCH_MESSAGES * MAX_BATCHES_UNDER_WAY) this.#fallBehind();
    this.#answerCaughtUp();
  }

  #nextBatch(): MessageRow[] {
    if (!this.#behind) return this.#waiting.splice(0, BATCH_MESSAGES);
    const batch = this.#options.rows.after(this.#sentSeq, BATCH_MESSAGES);
    if (batch.length < BATCH_MESSAGES) this.#behind = false;
    return batch;
  }

  #sendBatch(batch: readonly MessageRow[]): void {
    const jobs = batch.map((row) => this.#job(row));
    this.#underWay++;
    this.#sentSeq = batch.at(-1)?.seq ?? this.#sentSeq;
    const carriesBytes = jobs.some(({ source }) => "bytes" in source);
    this.#link?.tell({ kind: "add", jobs: carriesBytes ? jobs : JSON.stringify(jobs) });
    if (this.#showFrom === null) return;
    this.#options.onProgress(
      this.#sentSeq - this.#showFrom,
      this.#options.rows.state.last_seq - this.#showFrom,
    );
    if (!this.#behind) this.#showFrom = null;
  }

  /** Where the body is already gone, a removal or a clear follows; the envelope will do until then. */
  #job(row: MessageRow): IndexJob {
    const { seq, sender, recipients } = row;
    try {
      return { seq, sender, recipients, source: this.#options.log.source(row) };
    } catch {
      return { seq, sender, recipients, source: { bytes: new Uint8Array() } };
    }
  }

  #answerCaughtUp(): void {
    if (this.#whenCaughtUp.length === 0) return;
    const reached = this.#handedOver;
    const ready = this.#whenCaughtUp.filter(({ seq }) => seq <= reached);
    this.#whenCaughtUp = this.#whenCaughtUp.filter(({ seq }) => seq > reached);
    for (const { answer } of ready) answer.resolve();
  }
}

const onlyText = ({ q: _, tags, ...rest }: MessageFilter): boolean =>
  (tags === undefined || tags.length === 0) && Object.values(rest).every((value) => value === undefined);

/** What both hold; both ascending. */
function common(left: Float64Array, right: readonly number[]): number[] {
  const both: number[] = [];
  let at = 0;
  for (const seq of right) {
    while (at < left.length && (left[at] ?? 0) < seq) at++;
    if (left[at] === seq) both.push(seq);
  }
  return both;
}

function countBelow(ascending: readonly number[], bound: number): number {
  const first = ascending.findIndex((seq) => seq >= bound);
  return first < 0 ? ascending.length : first;
}
