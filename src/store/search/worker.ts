// The worker's side of the text index: does its jobs in order. The text of a mail is found by a function it is given:
// the store does not know MIME.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  type AddedMail,
  type Answer,
  type Job,
  MAX_SEARCHED_BYTES,
  type Question,
  type Report,
} from "./protocol.ts";
import { type SearchedText, TextIndex } from "./text-index.ts";

export interface SearchPort {
  receive(listener: (job: Job) => void): void;
  send(report: Report, transfer?: ArrayBuffer[]): void;
}

/** What is to be searched of a mail, bounded. */
export type FindText = (raw: Uint8Array) => SearchedText;

/** Changes gather in one transaction at most this long and this many. */
const COMMIT_AFTER_MS = 1000;
const COMMIT_AFTER_MAILS = 4000;
const NOTHING: Answer = { seqs: new Float64Array(), total: 0 };

export function serveSearch(port: SearchPort, findText: FindText): void {
  const worker = new SearchWorker(port, findText);
  port.receive((job) => worker.run(job));
}

class SearchWorker {
  readonly #port: SearchPort;
  readonly #findText: FindText;
  #index: TextIndex | null = null;
  #uncommitted = 0;
  #timer: Timer | null = null;
  #hasFailed = false;

  constructor(port: SearchPort, findText: FindText) {
    this.#port = port;
    this.#findText = findText;
  }

  run(job: Job): void {
    this.#guarded(() => this.#do(job));
  }

  /** After a failure nothing more is done: the main thread starts another worker. */
  #guarded(act: () => void): void {
    if (this.#hasFailed) return;
    try {
      act();
    } catch (error) {
      this.#hasFailed = true;
      const { code = "", message = String(error) } = error as { code?: string; message?: string };
      this.#port.send({ kind: "failed", code, message });
    }
  }

  #do(job: Job): void {
    switch (job.kind) {
      case "open":
        this.#index = new TextIndex(job.path, job.salt);
        this.#port.send({
          kind: "opened",
          applied: this.#index.applied,
          rebuiltBecause: this.#index.rebuiltBecause,
        });
        break;
      case "add":
        this.#add(JSON.parse(job.mails), job.bytes);
        this.#applied(job.applied);
        this.#port.send({ kind: "done", size: job.size, bytes: job.bytes }, [job.bytes]);
        break;
      case "remove":
        this.#opened.remove(job.seqs);
        this.#uncommitted += job.seqs.length;
        this.#applied(job.applied);
        break;
      case "clear":
        this.#opened.clear(job.applied);
        this.#commit();
        break;
      case "ask":
        this.#port.send({ kind: "answer", number: job.number, answer: this.#answer(job.question) });
        break;
      case "close":
        this.#stopTimer();
        this.#index?.close();
        this.#index = null;
        this.#port.send({ kind: "closed" });
        break;
    }
  }

  #add(mails: readonly AddedMail[], bytes: ArrayBuffer): void {
    for (const { at, size, path, ...mail } of mails) {
      const raw = path === null ? new Uint8Array(bytes, at, size) : readLarge(path);
      this.#opened.add(mail, this.#textOf(mail.seq, raw));
      if (path !== null) raw.buffer.transfer(0);
    }
    this.#uncommitted += mails.length;
  }

  /** A mail that cannot be parsed must not stop the indexing of others. */
  #textOf(seq: number, raw: Uint8Array): SearchedText {
    try {
      return this.#findText(raw);
    } catch (error) {
      this.#port.send({ kind: "skipped", seq, reason: String(error) });
      return this.#findText(new Uint8Array());
    }
  }

  #applied(applied: number): void {
    this.#opened.advance(applied);
    if (this.#uncommitted >= COMMIT_AFTER_MAILS) this.#commit();
    else this.#timer ??= setTimeout(() => this.#guarded(() => this.#commit()), COMMIT_AFTER_MS);
  }

  #commit(): void {
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#opened.commit();
    this.#port.send({ kind: "committed", applied: this.#opened.applied });
  }

  #answer(question: Question): Answer {
    if (question.kind === "barrier") return NOTHING;
    if (question.kind === "all") return this.#opened.all(question.match);
    return this.#opened.page(question.match, question.before, question.limit, question.offset);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  get #opened(): TextIndex {
    if (this.#index === null) throw new Error("the text index is not open");
    return this.#index;
  }
}

/** Nothing when the file is gone: the mail has been deleted, and its removal is one of the next jobs. */
function readLarge(path: string): Uint8Array<ArrayBuffer> {
  try {
    const fd = openSync(path, "r");
    try {
      const bytes = new Uint8Array(Math.min(fstatSync(fd).size, MAX_SEARCHED_BYTES));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return new Uint8Array();
    throw error;
  }
}
