// The main thread's side of the text index: hands new messages to the worker in batches, bounded in number,
// and asks it. When the worker is behind, batches are read from the rows instead of waiting in memory.
import type { Logger } from "../../lib/logger.ts";
import type { MessageFilter } from "../../model/index.ts";
import type { Bodies } from "../log/log.ts";
import type { SeqRange } from "../rows/filter-sql.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { StoreError } from "../store.ts";
import { Backlog, jobOf } from "./backlog.ts";
import { matchExpression } from "./match.ts";
import type { Addition, Answer, Question } from "./protocol.ts";
import type { Found, SearchIndex } from "./search-index.ts";
import { WorkerDied, WorkerLink } from "./worker-link.ts";

export interface SearchClientOptions {
  readonly path: string;
  /** Seeds the checksums of the log. */
  readonly salt: number;
  readonly startWorker: () => Worker;
  readonly rows: Rows;
  readonly bodies: Bodies;
  readonly logger: Logger;
  readonly onProgress: (done: number, total: number) => void;
}

const BATCH_MESSAGES = 64;
/** As long as mail keeps coming in and nobody asks, indexing waits: it would slow the mail down. */
const QUIET_MS = 10;
const MAX_WAIT_MS = 1000;
const MAX_WAITING_BYTES = 16 << 20;
/** In memory the bytes themselves are handed over, so fewer gather. */
const MAX_WAITING_JOBS = 64;
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
  readonly #backlog: Backlog;
  /** The worker lacks more than the backlog holds: the rest is read from the rows. */
  #behind = true;
  #underWay = 0;
  /** Runs while something waits and mail keeps coming in. */
  #quietTimer: Timer | null = null;
  #ticks = 0;
  #grew = false;
  #showFrom: number | null = null;
  #whenCaughtUp: { seq: number; answer: PromiseWithResolvers<void> }[] = [];
  /** Deaths of the worker since it last did something useful. */
  #deaths = 0;
  #restartTimer: Timer | null = null;
  /** `memory`: the disk has no room for the index, which goes on in memory. `asked`: whether there is some now. */
  #room: "there" | "memory" | "asked" = "there";
  #resumeTimer: Timer | null = null;
  /** That there is no room has been logged. */
  #isSpilled = false;
  #life = 0;
  /** What the log ended with when the store was opened, until the index has been judged by it. */
  #seqAtStart: number | null;
  #closed = false;

  constructor(options: SearchClientOptions) {
    this.#options = options;
    this.#backlog = new Backlog(options.bodies);
    this.#seqAtStart = options.rows.state.last_seq;
  }

  /** Changes whenever messages that were handed over before may be handed over again. */
  get life(): number {
    return this.#life;
  }

  /** Starts the worker unless it is there. */
  wake(): void {
    if (this.#closed || this.#link !== null) return;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    this.#restartTimer = null;
    const { path, salt, rows } = this.#options;
    const worker = this.#startWorker();
    if (worker === null) return;
    const clearedSeq = rows.state.cleared_seq;
    this.#link = new WorkerLink(
      worker,
      { kind: "open", path, clearedSeq, lastSeq: this.#seqAtStart ?? rows.state.last_seq, salt },
      {
        opened: (indexedSeq, why) => this.#begin(indexedSeq, clearedSeq, why),
        added: () => this.#batchDone(),
        full: () => this.#askForRoom(),
        resumed: (seq, inMemory) => this.#resumed(seq, inMemory),
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
    if (this.#behind) return;
    const backlog = this.#backlog;
    backlog.add(row);
    this.#grew = true;
    if (backlog.length >= MAX_WAITING_JOBS || backlog.bytes >= MAX_WAITING_BYTES) this.#send();
    else this.#quietTimer ??= setTimeout(this.#tick, QUIET_MS);
  }

  readonly #tick = (): void => {
    this.#quietTimer = null;
    this.#ticks++;
    if (!this.#grew || this.#ticks * QUIET_MS >= MAX_WAIT_MS) {
      this.#send();
      return;
    }
    this.#grew = false;
    this.#quietTimer = setTimeout(this.#tick, QUIET_MS);
  };

  remove(seqs: readonly number[]): void {
    this.#send();
    if (this.#backlog.length > 0) this.#fallBehind();
    if (this.#link?.isOpen) this.#link.tell({ kind: "remove", seqs });
  }

  clear(): void {
    const { cleared_seq } = this.#options.rows.state;
    this.#backlog.clear();
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
    for (const timer of [this.#quietTimer, this.#restartTimer, this.#resumeTimer])
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
        return await this.#askOne(question);
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error;
        if (attempt === MAX_ATTEMPTS) throw error.asStoreError();
      }
    }
  }

  /** A worker that ran out of room on the disk is asked again when it has all in memory. */
  async #askOne(question: Question): Promise<Answer> {
    for (;;) {
      const link = await this.#caughtUp(this.#options.rows.state.last_seq);
      const answer = await link.ask(question);
      if (answer !== null) return answer;
    }
  }

  /** Everything up to this seq has been told to the worker. */
  get #handedOver(): number {
    if (this.#behind) return this.#sentSeq;
    return this.#backlog.firstSeq - 1;
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
    this.#life++;
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
    this.#backlog.clear();
    this.#behind = true;
  }

  #batchDone(): void {
    this.#underWay--;
    this.#deaths = 0;
    this.#send();
  }

  /** Questions wait for the answer: what was passed over is handed over again. */
  #askForRoom(): void {
    if (this.#room === "asked" || !this.#link?.isOpen) return;
    this.#room = "asked";
    this.#fallBehind();
    this.#sentSeq = 0;
    this.#link.tell({ kind: "resume" });
  }

  #resumed(indexedSeq: number, inMemory: boolean): void {
    const { logger } = this.#options;
    if (inMemory && !this.#isSpilled) logger.warn("search_index_in_memory", { reason: "the disk is full" });
    if (!inMemory && this.#isSpilled) logger.info("search_index_on_disk");
    this.#isSpilled = inMemory;
    this.#life++;
    this.#room = inMemory ? "memory" : "there";
    this.#sentSeq = indexedSeq;
    this.#fallBehind();
    this.#send();
    if (!inMemory) return;
    if (this.#resumeTimer !== null) clearTimeout(this.#resumeTimer);
    this.#resumeTimer = setTimeout(() => this.#room === "memory" && this.#askForRoom(), RESUME_MS);
    this.#resumeTimer.unref();
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
    this.#stopWaiting();
    if (!this.#link?.isOpen || this.#room === "asked") return;
    while (this.#behind && this.#underWay < MAX_BATCHES_UNDER_WAY) this.#sendFromRows();
    if (this.#underWay < MAX_BATCHES_UNDER_WAY && this.#backlog.length > 0) this.#sendBacklog();
    if (this.#backlog.length > MAX_WAITING_JOBS * MAX_BATCHES_UNDER_WAY) this.#fallBehind();
    this.#answerCaughtUp();
  }

  #stopWaiting(): void {
    if (this.#quietTimer !== null) clearTimeout(this.#quietTimer);
    this.#quietTimer = null;
    this.#ticks = 0;
  }

  #sendFromRows(): void {
    const { rows, bodies, onProgress } = this.#options;
    const batch = rows.after(this.#sentSeq, BATCH_MESSAGES);
    if (batch.length < BATCH_MESSAGES) this.#behind = false;
    if (batch.length > 0) this.#tell(batch.map((row) => jobOf(row, bodies)));
    this.#sentSeq = batch.at(-1)?.seq ?? this.#sentSeq;
    if (this.#showFrom === null) return;
    onProgress(this.#sentSeq - this.#showFrom, rows.state.last_seq - this.#showFrom);
    if (!this.#behind) this.#showFrom = null;
  }

  #sendBacklog(): void {
    this.#sentSeq = this.#backlog.lastSeq;
    this.#tell(this.#backlog.take());
  }

  #tell(additions: readonly Addition[]): void {
    this.#underWay++;
    const carriesBytes = additions.some((addition) => "source" in addition && "bytes" in addition.source);
    this.#link?.tell({ kind: "add", additions: carriesBytes ? additions : JSON.stringify(additions) });
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
