// The worker's side of the text index: takes messages in order, reads bodies from their files, answers.
// The text is found by a function it is given: the store does not know MIME.
import { closeSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { asStoreError } from "../errors.ts";
import type { BodySource } from "../log/log.ts";
import { Room } from "../log/room.ts";
import { StoreError } from "../store.ts";
import type { Answer, FromWorker, IndexJob, Question, ToWorker } from "./protocol.ts";
import { TextIndex } from "./text-index.ts";
import type { TidyStep } from "./tidying.ts";

/** A message where it lies; the bytes of one read are good until the next. */
export interface StoredRaw {
  readonly size: number;
  read(start: number, end: number): Uint8Array;
}

export type ExtractText = (raw: StoredRaw) => { subject: string; body: string };

export interface SearchPort {
  receive(listener: (message: ToWorker) => void): void;
  send(message: FromWorker): void;
}

/** Characters of a message's text that are indexed. */
const MAX_TEXT_CHARS = 8 << 20;
/** Messages up to this size are read at once, larger ones in the pieces that are asked for. */
const READ_WHOLE_BYTES = 1 << 20;
/** A buffer that has grown beyond this is not kept. */
const KEPT_BUFFER_BYTES = 16 << 20;
/** Text from this length on leaves so much behind that it is cleared away at once. */
const LONG_TEXT_CHARS = 2 << 20;
/** Changes gather in one transaction at most this long and this many. */
const COMMIT_AFTER_MS = 1000;
const COMMIT_AFTER_CHANGES = 4000;
/** Removals gather before the index is tidied; then a step at a time, with pauses. */
const TIDY_AFTER_MS = 1000;
const TIDY_PAUSE_MS = 5;
/** Of the room that mail leaves to others the index may use the rest: mail that was taken in is to be found. */
const FLOOR_SHARE = 0.75;
/** Text goes to the write-ahead log first and then to the index. */
const WRITES_PER_BYTE = 2;
const LARGE_TEXT_CHARS = 1 << 20;
const NOTHING: Answer = { seqs: new Float64Array(), total: 0 };

export function serveSearch(port: SearchPort, extract: ExtractText): void {
  const server = new SearchServer(port, extract);
  port.receive((message) => {
    try {
      server.handle(message);
    } catch (error) {
      const { code = "", message: text = String(error) } = error as { code?: string; message?: string };
      port.send({ kind: "failed", code, message: text });
    }
  });
}

class SearchServer {
  readonly #port: SearchPort;
  readonly #extract: ExtractText;
  readonly #reader = new BodyReader();
  #index: TextIndex | null = null;
  #uncommitted = 0;
  #uncommittedBytes = 0;
  /** Removals that are not safe in the file yet. */
  #removed: number[] = [];
  #room: Room | null = null;
  #isFull = false;
  #timer: Timer | null = null;
  #tidyTimer: Timer | null = null;

  constructor(port: SearchPort, extract: ExtractText) {
    this.#port = port;
    this.#extract = extract;
  }

  handle(message: ToWorker): void {
    switch (message.kind) {
      case "open":
        this.#open(message.path, message.clearedSeq, message.lastSeq);
        break;
      case "add":
        this.#add(typeof message.jobs === "string" ? JSON.parse(message.jobs) : message.jobs);
        break;
      case "remove":
        this.#remove(message.seqs);
        break;
      case "clear":
        this.#clear(message.clearedSeq);
        break;
      case "resume":
        this.#resume();
        break;
      case "ask":
        this.#port.send({ kind: "answer", number: message.number, answer: this.#answer(message.question) });
        break;
    }
  }

  #open(path: string, clearedSeq: number, lastSeq: number): void {
    const index = new TextIndex(path);
    this.#index = index;
    if (!index.isInMemory) this.#room = new Room(dirname(path), FLOOR_SHARE);
    if (index.clearedSeq !== clearedSeq || index.indexedSeq > lastSeq) index.clear(clearedSeq);
    this.#port.send({ kind: "opened", indexedSeq: index.indexedSeq, why: index.why });
    if (index.isReadOnly) this.#standStill();
  }

  #add(jobs: readonly IndexJob[]): void {
    this.#unlessFull(() => {
      for (const job of jobs) {
        if (!this.#takes(job.source)) {
          this.#commit();
          throw new StoreError("disk_full", "the disk has no room for the text index");
        }
        const { subject, body } = this.#text(job.source);
        this.#opened().add({ seq: job.seq, subject, body, sender: job.sender, recipients: job.recipients });
        // Each leaves copies of its text behind: a hundred large ones would come to a gigabyte before they are collected.
        if (body.length > LARGE_TEXT_CHARS) Bun.gc(true);
        if (body.length >= LONG_TEXT_CHARS) Bun.gc(true);
      }
      this.#changed(jobs.length);
    });
    this.#port.send({ kind: "added" });
  }

  #remove(seqs: readonly number[]): void {
    this.#removed.push(...seqs);
    this.#unlessFull(() => {
      for (const seq of seqs) this.#opened().remove(seq);
      this.#changed(seqs.length);
    });
  }

  /** What waits in memory to be written counts as well: the disk does not show it yet. */
  #takes(source: BodySource): boolean {
    if (this.#room === null) return true;
    const size = "bytes" in source ? source.bytes.length : source.size;
    this.#uncommittedBytes += Math.min(size, MAX_TEXT_CHARS);
    return this.#room.takes(this.#uncommittedBytes * WRITES_PER_BYTE);
  }

  /** Changes the index, unless the disk is full or turns out to be. */
  #unlessFull(change: () => void): void {
    if (this.#isFull) return;
    try {
      change();
    } catch (error) {
      if (asStoreError(error).code !== "disk_full") throw error;
      this.#standStill();
    }
  }

  #standStill(): void {
    this.#isFull = true;
    this.#stopTimer();
    this.#opened().rollback();
    this.#port.send({ kind: "full" });
  }

  #resume(): void {
    this.#isFull = false;
    this.#unlessFull(() => {
      this.#opened().makeWritable();
      for (const seq of this.#removed) this.#opened().remove(seq);
      this.#commit();
      if (this.#room?.isShort) throw new StoreError("disk_full", "there is still no room");
    });
    if (!this.#isFull) this.#port.send({ kind: "resumed", indexedSeq: this.#opened().indexedSeq });
  }

  #clear(clearedSeq: number): void {
    this.#opened().clear(clearedSeq);
    this.#removed = [];
    this.#reader.close();
  }

  /** Even a question may write: what has gathered in memory is merged into the index before it is searched. */
  #answer(question: Question): Answer {
    let answer: Answer | null = null;
    this.#unlessFull(() => {
      answer = this.#ask(question);
    });
    return answer ?? this.#ask(question);
  }

  #ask(question: Question): Answer {
    switch (question.kind) {
      case "page":
        return this.#page(question);
      case "all": {
        const seqs = this.#all(question.match);
        return { seqs, total: seqs.length };
      }
      case "barrier":
        this.#unlessFull(() => this.#commit());
        this.#reader.close();
        return NOTHING;
      case "close":
        this.#unlessFull(() => this.#commit());
        if (this.#tidyTimer !== null) clearTimeout(this.#tidyTimer);
        this.#index?.close();
        this.#index = null;
        this.#reader.close();
        return NOTHING;
    }
  }

  #page({ match, before, limit, offset }: Extract<Question, { kind: "page" }>): Answer {
    if (!this.#isFull) return this.#opened().page(match, before, limit, offset);
    const all = this.#all(match);
    const page = all.filter((seq) => seq < before).reverse();
    return { seqs: page.slice(offset, offset + limit), total: all.length };
  }

  /** On a full disk the index still holds what was removed. */
  #all(match: string): Float64Array {
    const seqs = this.#opened().all(match);
    if (!this.#isFull || this.#removed.length === 0) return seqs;
    const removed = new Set(this.#removed);
    return seqs.filter((seq) => !removed.has(seq));
  }

  /** A message that cannot be read or digested is found by its envelope all the same. */
  #text(source: BodySource): { subject: string; body: string } {
    try {
      const { subject, body } = this.#extract(this.#reader.open(source));
      return { subject: subject.slice(0, MAX_TEXT_CHARS), body: body.slice(0, MAX_TEXT_CHARS) };
    } catch {
      return { subject: "", body: "" };
    }
  }

  #changed(changes: number): void {
    this.#uncommitted += changes;
    if (this.#uncommitted >= COMMIT_AFTER_CHANGES) this.#commit();
    else this.#timer ??= setTimeout(() => this.#unlessFull(() => this.#commit()), COMMIT_AFTER_MS);
  }

  #commit(): void {
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#uncommittedBytes = 0;
    this.#index?.commit();
    if (this.#removed.length === 0) return;
    this.#port.send({ kind: "removed", seqs: this.#removed });
    this.#removed = [];
    this.#tidyTimer ??= setTimeout(() => this.#startTidying(), TIDY_AFTER_MS);
  }

  #startTidying(): void {
    this.#tidyTimer = null;
    const step = this.#index?.startTidying() ?? null;
    if (step !== null) this.#tidy(step);
  }

  /** What arrives between two steps has its turn. */
  #tidy(step: TidyStep): void {
    this.#tidyTimer = null;
    if (this.#index === null) return;
    this.#unlessFull(() => this.#commit());
    if (this.#isFull) return;
    try {
      if (step() === "more") this.#tidyTimer = setTimeout(() => this.#tidy(step), TIDY_PAUSE_MS);
    } catch {
      // A full disk has no room to tidy up: the index is as good as before.
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #opened(): TextIndex {
    if (this.#index === null) throw new Error("the text index is not open");
    return this.#index;
  }
}

/** Reads bodies through one descriptor: neighbours in the log lie in the same file. */
class BodyReader {
  #path = "";
  #fd = -1;
  #buffer = new Uint8Array(64 << 10);

  open(source: BodySource): StoredRaw {
    if ("bytes" in source) return inMemory(source.bytes);
    const { path, at, size } = source;
    if (path !== this.#path) this.#openFile(path);
    if (size <= READ_WHOLE_BYTES) return inMemory(this.#read(at, size));
    return { size, read: (start, end) => this.#read(at + start, end - start) };
  }

  #read(at: number, size: number): Uint8Array {
    if (this.#buffer.length < size || this.#buffer.length > KEPT_BUFFER_BYTES)
      this.#buffer = new Uint8Array(Math.max(size, 64 << 10));
    return this.#buffer.subarray(0, readSync(this.#fd, this.#buffer, 0, size, at));
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.#path = "";
  }

  #openFile(path: string): void {
    this.close();
    this.#fd = openSync(path, "r");
    this.#path = path;
  }
}

const inMemory = (bytes: Uint8Array): StoredRaw => ({
  size: bytes.length,
  read: (start, end) => bytes.subarray(start, end),
});
