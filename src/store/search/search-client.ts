// The main thread's side of the text index: keeps a worker alive and asks it, once it has been told everything
// that the question is to know.
import type { Logger } from "../../lib/logger.ts";
import type { MessageFilter } from "../../model/index.ts";
import type { Bodies } from "../log/log.ts";
import type { SeqRange } from "../rows/filter-sql.ts";
import { type Found, pageOf } from "../rows/matching-rows.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { StoreError } from "../store.ts";
import { Handover } from "./handover.ts";
import { matchExpressions } from "./match.ts";
import type { Answer, Known, Match, Question } from "./protocol.ts";
import type { SearchIndex } from "./search-index.ts";
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

/** Fewer hits than this are looked up one by one; for more, the filter's own index is walked. */
const FEW_HITS = 2000;
const MAX_ATTEMPTS = 2;
const MAX_DEATHS = 3;
const MAX_RESTART_MS = 30_000;
const NOTHING: Found = { seqs: [], total: 0 };

export class SearchClient implements SearchIndex {
  readonly #options: SearchClientOptions;
  readonly #handover: Handover;
  #link: WorkerLink | null = null;
  #whenCaughtUp: { seq: number; answer: PromiseWithResolvers<void> }[] = [];
  /** Deaths of the worker since it last did something useful. */
  #deaths = 0;
  #restartTimer: Timer | null = null;
  /** What the log ended with when the store was opened, until the index has been judged by it. */
  #seqAtStart: number | null;
  /** The index is to be built anew by the next worker. */
  #anew = false;
  #closed = false;

  constructor(options: SearchClientOptions) {
    this.#options = options;
    this.#handover = new Handover({ ...options, advanced: () => this.#answerCaughtUp() });
    this.#seqAtStart = options.rows.state.last_seq;
  }

  /** Changes whenever messages that were handed over before may be handed over again. */
  get life(): number {
    return this.#handover.life;
  }

  add(row: MessageRow): void {
    if (this.#restartTimer === null) this.wake();
    this.#handover.add(row);
  }

  remove(seqs: readonly number[]): void {
    this.#handover.remove(seqs);
  }

  clear(): void {
    this.#handover.clear();
  }

  rowsRebuilt(hasLost: boolean): void {
    this.#handover.rowsRebuilt(hasLost);
  }

  async find(
    q: string,
    filter: MessageFilter,
    range: SeqRange,
    limit: number,
    offset: number,
  ): Promise<Found> {
    const match = matchExpressions(q);
    if (match === null) return NOTHING;
    if (onlyText(filter)) {
      const before = range.before ?? Number.MAX_SAFE_INTEGER;
      const page = { match, before, limit, offset };
      const { seqs, total } = await this.#ask({ kind: "page", ...page });
      return { seqs: [...seqs], total };
    }
    return pageOf(await this.#matching(match, filter), range, limit, offset);
  }

  async count(q: string, filter: MessageFilter): Promise<number> {
    const match = matchExpressions(q);
    if (match === null) return 0;
    if (!onlyText(filter)) return (await this.#matching(match, filter)).length;
    const nothing = { before: 0, limit: 0, offset: 0 };
    return (await this.#ask({ kind: "page", match, ...nothing })).total;
  }

  async all(q: string, filter: MessageFilter, { after = 0 }: SeqRange): Promise<number[]> {
    const match = matchExpressions(q);
    if (match === null) return [];
    const matching = await this.#matching(match, filter);
    return matching.filter((seq) => seq > after);
  }

  isSoonSearchable(message: { readonly id: string; readonly size: number }): boolean {
    return !this.#handover.isLate(message);
  }

  async searchable(seq: number): Promise<void> {
    await this.#ask({ kind: "text", seq });
  }

  /** Resolves when the worker has committed everything told so far and holds no file open. */
  async settled(): Promise<void> {
    await this.#ask({ kind: "barrier" });
  }

  /** Starts the worker unless it is there. */
  wake(): void {
    if (this.#closed || this.#link !== null) return;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    this.#restartTimer = null;
    const worker = this.#startWorker();
    if (worker !== null) this.#link = this.#open(worker);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    this.#handover.stop();
    if (this.#link?.isOpen) {
      this.#handover.send();
      await this.#link.ask({ kind: "close" }, this.#known()).catch(() => {});
    }
    this.#link?.terminate();
    this.#handover.interrupt();
    this.#rejectWaiting(closedError());
  }

  /** Everything that matches text and filter, oldest first. */
  async #matching(match: Match, filter: MessageFilter): Promise<number[]> {
    const { seqs } = await this.#ask({ kind: "all", match });
    const { rows } = this.#options;
    if (onlyText(filter)) return [...seqs];
    if (seqs.length <= FEW_HITS) return rows.matching.among([...seqs], filter);
    return common(seqs, await rows.matching.seqs(filter));
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
      const { life } = this.#handover;
      const known = this.#known();
      const link = await this.#caughtUp(neededSeq(question, known));
      if (life !== this.#handover.life) continue;
      const answer = await link.ask(question, known);
      if (answer !== null) return answer;
    }
  }

  #known(): Known {
    return {
      acknowledgedSeq: this.#handover.acknowledgedSeq,
      lastSeq: this.#options.rows.state.last_seq,
    };
  }

  /** The link, once everything up to this seq has been handed over. */
  async #caughtUp(seq: number): Promise<WorkerLink> {
    this.wake();
    this.#handover.send();
    while (this.#link === null || !this.#link.isOpen || this.#handover.reachedSeq < seq) {
      if (this.#closed) throw closedError();
      const answer = Promise.withResolvers<void>();
      this.#whenCaughtUp.push({ seq, answer });
      await answer.promise;
    }
    this.#handover.send();
    return this.#link;
  }

  #answerCaughtUp(): void {
    if (this.#whenCaughtUp.length === 0) return;
    const reached = this.#handover.reachedSeq;
    const ready = this.#whenCaughtUp.filter(({ seq }) => seq <= reached);
    this.#whenCaughtUp = this.#whenCaughtUp.filter(({ seq }) => seq > reached);
    for (const { answer } of ready) answer.resolve();
  }

  #rejectWaiting(error: StoreError): void {
    for (const { answer } of this.#whenCaughtUp) answer.reject(error);
    this.#whenCaughtUp = [];
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

  #open(worker: Worker): WorkerLink {
    const { path, salt, rows, logger } = this.#options;
    const clearedSeq = rows.state.cleared_seq;
    const lastSeq = this.#seqAtStart ?? rows.state.last_seq;
    const removed = rows.unsearchedDeletes();
    const link = new WorkerLink(
      worker,
      { kind: "open", path, anew: this.#anew, clearedSeq, lastSeq, removed, salt },
      {
        opened: ({ indexedSeq, unfinished, held, why }) => {
          if (why !== null) logger.warn("search_index_rebuilt", { reason: why });
          if (held === 0) this.#reportMaking();
          this.#seqAtStart = null;
          this.#anew = false;
          const superfluous = held + rows.rowsOf(unfinished).length - rows.countUpTo(indexedSeq);
          if (rows.state.cleared_seq === clearedSeq && !this.#mayBe(superfluous, removed)) {
            logger.warn("search_index_rebuilt", { reason: "it does not hold all messages" });
            this.#handover.beginAnew();
          }
          this.#handover.begin(link, indexedSeq, unfinished, clearedSeq);
        },
        indexed: (turn) => this.#handover.indexed(turn),
        sampled: (msPerByte) => this.#handover.sampled(msPerByte),
        added: () => {
          this.#deaths = 0;
          this.#handover.batchDone();
        },
        full: () => this.#handover.askForRoom(),
        resumed: ({ indexedSeq, unfinished, inMemory }) =>
          this.#handover.resume(indexedSeq, rows.rowsOf(unfinished), inMemory),
        cut: (seq, chars) => logger.warn("search_text_cut", { id: rows.bySeq(seq)?.id, searched: chars }),
        removed: (seqs) => rows.forgetUnsearchedDeletes(seqs),
        died: (cause) => this.#restartLater(cause),
      },
    );
    return link;
  }

  /** The index is empty: a mailbox that was there before it gets one. */
  #reportMaking(): void {
    if (this.#seqAtStart === null) return;
    const { rows, logger } = this.#options;
    const messages = rows.countUpTo(this.#seqAtStart);
    if (messages > 0) logger.info("search_index_building", { messages });
  }

  /** What was removed while the index was opened may still be in it, but nothing else. */
  #mayBe(superfluous: number, removedBefore: readonly number[]): boolean {
    if (superfluous <= 0) return superfluous === 0;
    const before = new Set(removedBefore);
    return superfluous <= this.#options.rows.unsearchedDeletes().filter((seq) => !before.has(seq)).length;
  }

  #restartLater(cause: WorkerDied): void {
    const { logger } = this.#options;
    logger.error("search_worker_died", { reason: cause.message });
    if (cause.isOfIndex) {
      logger.warn("search_index_rebuilt", { reason: cause.message });
      this.#anew = true;
    }
    this.#link = null;
    this.#handover.interrupt();
    this.#deaths++;
    if (this.#deaths >= MAX_DEATHS) this.#rejectWaiting(cause.asStoreError());
    const delay = this.#whenCaughtUp.length > 0 ? 0 : Math.min(MAX_RESTART_MS, 100 * 2 ** this.#deaths);
    this.#restartTimer = setTimeout(() => this.wake(), delay);
  }
}

const closedError = () => new StoreError("closed", "the store is closed");

/** What the worker must have been told of before it is asked. */
function neededSeq(question: Question, { acknowledgedSeq, lastSeq }: Known): number {
  if (question.kind === "text") return question.seq;
  return question.kind === "barrier" ? lastSeq : acknowledgedSeq;
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
