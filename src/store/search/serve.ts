// The worker's side of the text index: takes messages in order, keeps the index, answers.
// The text is found by a function it is given: the store does not know MIME.
import { dirname } from "node:path";
import { asStoreError } from "../errors.ts";
import { Room } from "../log/room.ts";
import { StoreError } from "../store.ts";
import { type AddedMessage, messagesOf } from "./additions.ts";
import { BodyReader, type StoredRaw } from "./body-reader.ts";
import type { Addition, Answer, FromWorker, Question, ToWorker } from "./protocol.ts";
import { SpilledIndex } from "./spilled-index.ts";
import { TextIndex } from "./text-index.ts";
import type { TidyStep } from "./tidying.ts";

export type ExtractText = (raw: StoredRaw) => { subject: string; body: string };

export interface SearchPort {
  receive(listener: (message: ToWorker) => void): void;
  send(message: FromWorker): void;
}

/** Characters of a message's text that are indexed. */
const MAX_TEXT_CHARS = 8 << 20;
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
const OUT_OF_DESCRIPTORS = /^E[MN]FILE$/;
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
  #salt = 0;
  #uncommitted = 0;
  #uncommittedBytes = 0;
  /** Removals that are not safe in the file yet. */
  #removed: number[] = [];
  #room: Room | null = null;
  /** What was handed over is lost for want of room, and the main thread has yet to hear of it. */
  #isFull = false;
  /** What is added goes here as long as the disk has no room. */
  #spilled: SpilledIndex | null = null;
  #timer: Timer | null = null;
  #tidyTimer: Timer | null = null;

  constructor(port: SearchPort, extract: ExtractText) {
    this.#port = port;
    this.#extract = extract;
  }

  handle(message: ToWorker): void {
    switch (message.kind) {
      case "open":
        this.#salt = message.salt;
        this.#open(message.path, message.clearedSeq, message.lastSeq);
        break;
      case "add":
        this.#add(typeof message.additions === "string" ? JSON.parse(message.additions) : message.additions);
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

  #add(additions: readonly Addition[]): void {
    this.#unlessFull(() => {
      for (const message of messagesOf(additions, this.#reader, this.#salt)) this.#addMessage(message);
    });
    this.#port.send({ kind: "added" });
  }

  #addMessage({ seq, sender, recipients, size, open }: AddedMessage): void {
    if (this.#spilled === null && !this.#takes(size)) {
      this.#commit();
      throw new StoreError("disk_full", "the disk has no room for the text index");
    }
    const { subject, body } = this.#text(open);
    const index = this.#spilled ?? this.#opened();
    index.add({ seq, subject, body, sender, recipients });
    // Each leaves copies of its text behind: a hundred large ones would come to a gigabyte before they are collected.
    if (body.length > LARGE_TEXT_CHARS) Bun.gc(true);
    this.#changed(1);
  }

  #remove(seqs: readonly number[]): void {
    this.#removed.push(...seqs);
    this.#unlessFull(() => {
      const index = this.#spilled ?? this.#opened();
      for (const seq of seqs) index.remove(seq);
      this.#changed(seqs.length);
    });
  }

  /** What waits in memory to be written counts as well: the disk does not show it yet. */
  #takes(size: number): boolean {
    if (this.#room === null) return true;
    this.#uncommittedBytes += Math.min(size, MAX_TEXT_CHARS);
    return this.#room.takes(this.#uncommittedBytes * WRITES_PER_BYTE);
  }

  /** Changes the index, unless the disk is full or turns out to be. */
  #unlessFull(change: () => void): void {
    if (this.#isFull) return;
    try {
      change();
    } catch (error) {
      if (this.#spilled !== null || asStoreError(error).code !== "disk_full") throw error;
      this.#standStill();
    }
  }

  #standStill(): void {
    this.#isFull = true;
    this.#stopTimer();
    this.#uncommitted = 0;
    this.#uncommittedBytes = 0;
    this.#opened().rollback();
    this.#port.send({ kind: "full" });
  }

  #resume(): void {
    this.#isFull = false;
    if (this.#spilled === null) this.#spilled = new SpilledIndex(this.#opened(), this.#removed);
    else if (this.#hasRoomFor(this.#spilled)) {
      this.#spilled.close();
      this.#spilled = null;
    }
    const { indexedSeq } = this.#spilled ?? this.#opened();
    this.#port.send({ kind: "resumed", indexedSeq, inMemory: this.#spilled !== null });
  }

  /** If so, the file is without what was removed meanwhile. */
  #hasRoomFor({ chars }: SpilledIndex): boolean {
    if (this.#room?.takes(chars * WRITES_PER_BYTE) === false) return false;
    try {
      this.#opened().makeWritable();
      for (const seq of this.#removed) this.#opened().remove(seq);
      this.#save();
      return true;
    } catch (error) {
      if (asStoreError(error).code !== "disk_full") throw error;
      this.#opened().rollback();
      return false;
    }
  }

  #clear(clearedSeq: number): void {
    this.#opened().clear(clearedSeq);
    this.#spilled?.clear(clearedSeq);
    this.#removed = [];
    this.#reader.close();
  }

  /** Even a question may write: what has gathered in memory is merged into the index before it is searched. */
  #answer(question: Question): Answer | null {
    let answer: Answer | null = null;
    if (question.kind === "close") return this.#ask(question);
    this.#unlessFull(() => {
      answer = this.#ask(question);
    });
    return answer;
  }

  #ask(question: Question): Answer {
    switch (question.kind) {
      case "page": {
        const { match, before, limit, offset } = question;
        return (this.#spilled ?? this.#opened()).page(match, before, limit, offset);
      }
      case "all": {
        const seqs = (this.#spilled ?? this.#opened()).all(question.match);
        return { seqs, total: seqs.length };
      }
      case "barrier":
        this.#commit();
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

  /** A message that cannot be read or digested is found by its envelope all the same. */
  #text(open: () => StoredRaw): { subject: string; body: string } {
    try {
      const { subject, body } = this.#extract(open());
      return { subject: subject.slice(0, MAX_TEXT_CHARS), body: body.slice(0, MAX_TEXT_CHARS) };
    } catch (error) {
      // That passes, and nobody would index this message again.
      if (OUT_OF_DESCRIPTORS.test(String((error as { code?: string }).code))) throw error;
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
    if (this.#spilled === null) this.#save();
  }

  #save(): void {
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
    if (this.#isFull || this.#spilled !== null) return;
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
