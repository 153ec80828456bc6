// The main thread's side of the text index: one worker that does its jobs in order. A question is one more job, so its
// answer covers everything that was acknowledged before it.

import type { Logger } from "../../lib/logger.ts";
import { Histogram, SECONDS } from "../../lib/numbers.ts";
import { asStoreError, closedError, diskFull } from "../errors.ts";
import { removeIndex } from "../log/data-dir.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { Rows } from "../rows/rows.ts";
import { indexBytes } from "../sqlite.ts";
import { StoreError } from "../store.ts";
import { JobBatch } from "./job-batch.ts";
import type { Answer, Job, Question, Report } from "./protocol.ts";

export interface SearchOptions {
  readonly path: string;
  readonly salt: number;
  readonly startSearchWorker: () => Worker;
  readonly log: Log;
  readonly rows: Rows;
  readonly logger: Logger;
  readonly onProgress?: (progress: { index: "search"; done: number; total: number }) => void;
}

/** If there is mail, the text index is opened this long after the start. */
const START_MS = 100;
/** If this many mails or bytes wait for the worker, commits wait, too. */
const MAX_WAITING_MAILS = 4000;
const MAX_WAITING_BYTES = 16 << 20;
/** Mails are sent to the worker together, so that it rarely competes with the main thread for the processor. */
const GATHER_MS = 250;

/** One worker, from its start to its end. */
class Link {
  /** Questions without an answer. They are answered in this order. */
  readonly asked: PromiseWithResolvers<Answer>[] = [];
  readonly batch = new JobBatch();
  /** Fulfils when the index has caught up with the log. From then on new entries are sent to the worker directly. */
  live = Promise.withResolvers<void>();
  isLive = false;
  /** True while the index reads the last records of the log. Commits wait, so the log does not grow. */
  isJoining = false;
  waitingMails = 0;
  waitingBytes = 0;

  constructor(readonly worker: Worker) {
    this.fallBehind();
  }

  fallBehind(): void {
    this.isLive = false;
    this.live = Promise.withResolvers();
    this.live.promise.catch(() => {});
  }

  get isFull(): boolean {
    return this.isJoining || this.waitingMails >= MAX_WAITING_MAILS || this.waitingBytes >= MAX_WAITING_BYTES;
  }

  send(job: Job): void {
    this.worker.postMessage(job, job.kind === "add" ? [job.bytes] : []);
  }
}

export class Search {
  readonly #options: SearchOptions;
  #link: Link | null = null;
  #room: PromiseWithResolvers<void> | null = null;
  #gathering: Timer | null = null;
  /** Why the last worker failed. The next question or clear starts another worker. */
  #failure: StoreError | null = null;
  #closing: PromiseWithResolvers<void> | null = null;

  readonly times = new Histogram(SECONDS);
  /** The number of the last record saved in the index. A new worker reads the rest from the log. */
  committed = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
    if (options.rows.newest() !== null) setTimeout(() => this.#start(), START_MS).unref();
  }

  get size(): number {
    return indexBytes(this.#options.path);
  }

  /** Hands entries to the worker, but not while it catches up: then it gets them from the log. */
  apply(entries: readonly LogEntry[]): void {
    // After a clear, even an index that has failed is small, so another start may succeed.
    const isClear = entries.some(({ record }) => record.kind === "clear");
    if (this.#link === null && (this.#failure === null || isClear)) this.#start();
    const link = this.#link;
    if (!link?.isLive) return;
    if (entries.some(({ isUnread }) => isUnread)) this.#readAgain(link, entries);
    else this.#hand(link, entries);
  }

  /** Catches up from the first of these entries: only `log.read` returns unread bodies. */
  #readAgain(link: Link, [first]: readonly LogEntry[]): void {
    link.fallBehind();
    const applied = (first?.record.seq ?? 0) - 1;
    // The catch-up begins later, because `log.lastSeq` counts these entries only after this call.
    queueMicrotask(() => this.#catchUp(link, applied).catch((error) => this.#fail(link, error)));
  }

  /** A promise if commits must wait for the worker; otherwise null. */
  room(): Promise<void> | null {
    if (!this.#link?.isFull) return null;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** One page of the matches whose numbers are below `before`, newest first. */
  page(match: string, before: number, limit: number, offset: number): Promise<Answer> {
    return this.#ask({ kind: "page", match, before, limit, offset });
  }

  /** Everything that matches, oldest first. */
  async all(match: string): Promise<Float64Array> {
    return (await this.#ask({ kind: "all", match })).seqs;
  }

  async indexed(): Promise<void> {
    await this.#ask({ kind: "barrier" });
  }

  #start(): void {
    if (this.#closing !== null || this.#link !== null) return;
    const { path, salt, startSearchWorker } = this.#options;
    let link: Link;
    try {
      link = new Link(startSearchWorker());
    } catch (error) {
      // A thread needs file descriptors, and too few may be left. The next question tries again.
      this.#failed(error);
      return;
    }
    this.#link = link;
    this.#failure = null;
    link.worker.onmessage = ({ data }: MessageEvent<Report>) => this.#onReport(link, data);
    link.worker.onerror = ({ message }) => this.#fail(link, new Error(message));
    link.worker.addEventListener("close", () => this.#fail(link, new Error("the thread ended")));
    link.send({ kind: "open", path, salt });
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#closing = Promise.withResolvers();
    if (link === null) return;
    this.#flush(link);
    link.send({ kind: "close" });
    await this.#closing.promise;
    this.#end(link, closedError());
  }

  /** Frees the disk space of the index, which the next question builds again. */
  discard(): void {
    if (this.#link !== null) this.#fail(this.#link, diskFull());
    removeIndex(this.#options.path);
  }

  async #ask(question: Question): Promise<Answer> {
    if (this.#closing !== null) throw closedError();
    const started = performance.now();
    this.#start();
    const link = this.#link;
    if (link === null) throw this.#failure;
    if (!link.isLive) await link.live.promise;
    this.#flush(link);
    const asked = Promise.withResolvers<Answer>();
    link.asked.push(asked);
    link.send({ kind: "ask", question });
    const answer = await asked.promise;
    this.times.observe((performance.now() - started) / 1000);
    return answer;
  }

  #onReport(link: Link, report: Report): void {
    if (link !== this.#link) return;
    switch (report.kind) {
      case "opened":
        if (report.rebuiltBecause !== null)
          this.#options.logger.warn("text index rebuilt", { reason: report.rebuiltBecause });
        this.committed = report.applied;
        this.#catchUp(link, report.applied, this.#options.onProgress).catch((error) =>
          this.#fail(link, error),
        );
        break;
      case "done":
        link.waitingMails -= report.size.mails;
        link.waitingBytes -= report.size.bytes;
        if (!link.isFull) this.#giveRoom();
        break;
      case "committed":
        this.committed = report.applied;
        break;
      case "answer":
        link.asked.shift()?.resolve(report.answer);
        break;
      case "skipped":
        this.#options.logger.warn("mail not indexed for search", { seq: report.seq, reason: report.reason });
        break;
      case "failed":
        this.#fail(link, Object.assign(new Error(report.message), { code: report.code }));
        break;
      case "closed":
        this.#closing?.resolve();
        break;
    }
  }

  /** Sends the worker everything in the log that the index lacks. */
  async #catchUp(link: Link, applied: number, onProgress?: SearchOptions["onProgress"]): Promise<void> {
    const { log, rows } = this.#options;
    if (applied > log.lastSeq) throw new StoreError("index_damaged", "the text index is ahead of the log");
    let handed = 0;
    for (let from = applied; from < log.lastSeq; ) {
      const end = log.lastSeq;
      link.isJoining = end - from < MAX_WAITING_MAILS;
      for await (const entries of log.read(from)) {
        if (link !== this.#link) return;
        this.#hand(
          link,
          entries.filter(({ record }) => record.kind !== "message" || rows.bySeq(record.seq) !== null),
        );
        handed += entries.length;
        const { messages: total } = rows.countsOf(null);
        onProgress?.({ index: "search", done: Math.min(handed, total), total });
        if (!link.isJoining) await this.room();
      }
      from = end;
    }
    link.isJoining = false;
    if (!link.isFull) this.#giveRoom();
    link.isLive = true;
    link.live.resolve();
  }

  #hand(link: Link, entries: readonly LogEntry[]): void {
    for (const { record, body } of entries) {
      if (record.kind === "message") {
        const bytes = link.batch.add(record, body);
        link.waitingMails++;
        link.waitingBytes += bytes;
      } else if (record.kind === "delete" || record.kind === "clear") {
        this.#flush(link);
        const { seq: applied } = record;
        if (record.kind === "clear") link.send({ kind: "clear", applied });
        else link.send({ kind: "remove", seqs: record.seqs, applied });
      }
      if (link.batch.isFull) this.#flush(link);
    }
    this.#gathering ??= setTimeout(() => this.#flush(link), GATHER_MS);
  }

  #flush(link: Link): void {
    this.#stopGathering();
    const job = link.batch.take();
    if (job !== null) link.send(job);
  }

  #stopGathering(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = null;
  }

  /** The next worker reads uncommitted entries from the log again. */
  #fail(link: Link, cause: unknown): void {
    if (link !== this.#link) return;
    const { path } = this.#options;
    const error = this.#failed(cause);
    this.#end(link, error);
    if (error.code === "index_damaged") removeIndex(path);
    this.#closing?.resolve();
  }

  #failed(cause: unknown): StoreError {
    const error = asStoreError(cause);
    this.#options.logger.error("search failed", { reason: error.message, cause: String(cause) });
    this.#failure = error;
    return error;
  }

  #end(link: Link, error: StoreError): void {
    this.#link = null;
    this.#stopGathering();
    link.worker.terminate();
    link.live.reject(error);
    for (const { reject } of link.asked) reject(error);
    this.#giveRoom();
  }
}
