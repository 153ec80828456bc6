// The worker's side of the text index. It gets a function that finds the text of a mail, because the store does not
// know MIME.
import { statSync } from "node:fs";
import { readBytes } from "../log/disk.ts";
import {
  type AddedMail,
  type Answer,
  type Job,
  MAX_SEARCHED_BYTES,
  type Question,
  type Report,
} from "./protocol.ts";
import { type SearchedText, TextIndex } from "./text-index.ts";

type SendReport = (report: Report) => void;

export type FindText = (raw: Uint8Array) => SearchedText;

/** A transaction is committed this long after its first change. */
const COMMIT_AFTER_MS = 1000;
/** A transaction is committed earlier if this many mails have been added or removed. */
const COMMIT_AFTER_MAILS = 4000;
const NOTHING: Answer = { seqs: new Float64Array(), total: 0 };

export class SearchWorker {
  readonly #send: SendReport;
  readonly #findText: FindText;
  #index: TextIndex | null = null;
  #uncommitted = 0;
  #timer: Timer | null = null;
  #hasFailed = false;

  constructor(send: SendReport, findText: FindText) {
    this.#send = send;
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
      this.#send({ kind: "failed", code, message });
    }
  }

  #do(job: Job): void {
    switch (job.kind) {
      case "open":
        this.#index = new TextIndex(job.path, job.salt);
        this.#send({
          kind: "opened",
          applied: this.#index.applied,
          rebuiltBecause: this.#index.rebuiltBecause,
        });
        break;
      case "add":
        this.#add(JSON.parse(job.mails), job.bytes);
        this.#applied(job.applied);
        // Freed at once, because the garbage collector lets many buffers pile up.
        job.bytes.transfer(0);
        this.#send({ kind: "done", size: job.size });
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
        this.#send({ kind: "answer", answer: this.#answer(job.question) });
        break;
      case "close":
        this.#stopTimer();
        this.#index?.close();
        this.#index = null;
        this.#send({ kind: "closed" });
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
      this.#send({ kind: "skipped", seq, reason: String(error) });
      return this.#findText(new Uint8Array());
    }
  }

  #applied(applied: number): void {
    this.#opened.applied = applied;
    if (this.#uncommitted >= COMMIT_AFTER_MAILS) this.#commit();
    else this.#timer ??= setTimeout(() => this.#guarded(() => this.#commit()), COMMIT_AFTER_MS);
  }

  #commit(): void {
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#opened.commit();
    this.#send({ kind: "committed", applied: this.#opened.applied });
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

/** Empty if the file is gone: the mail was deleted, and one of the next jobs removes it from the index. */
function readLarge(path: string): Uint8Array<ArrayBuffer> {
  try {
    return readBytes(path, 0, Math.min(statSync(path).size, MAX_SEARCHED_BYTES));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return new Uint8Array();
    throw error;
  }
}
