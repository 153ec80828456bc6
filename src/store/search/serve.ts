// The worker's side of the text index: takes messages in order, keeps the index, answers.
// The text is found by functions it is given: the store does not know MIME.
import { dirname } from "node:path";
import { removeDerived } from "../derived-db.ts";
import { asStoreError } from "../errors.ts";
import { Room } from "../log/room.ts";
import { StoreError } from "../store.ts";
import { type AddedMessage, messagesOf } from "./additions.ts";
import { BodyReader } from "./body-reader.ts";
import { LONG_MESSAGE_BYTES, LongMessages, type SliceText } from "./long-messages.ts";
import type { Addition, Answer, FromWorker, Question, ToWorker } from "./protocol.ts";
import { SpilledIndex } from "./spilled-index.ts";
import { TextIndex } from "./text-index.ts";
import type { TidyStep } from "./tidying.ts";

export interface TextFinder {
  readonly find: (raw: Uint8Array) => { subject: string; body: string };
  readonly slice: SliceText;
}

export interface SearchPort {
  receive(listener: (message: ToWorker) => void): void;
  send(message: FromWorker): void;
}

/** Changes gather in one transaction at most this long and this many. */
const COMMIT_AFTER_MS = 1000;
const COMMIT_AFTER_CHANGES = 4000;
/** Removals gather before the index is tidied; then a step at a time, with pauses. */
const TIDY_AFTER_MS = 1000;
const TIDY_PAUSE_MS = 5;
/** Of the room that mail leaves to others the index may use the rest: mail that was taken in is to be found. */
const FLOOR_SHARE = 0.75;
/** Of one message, as far as it is indexed. */
const MAX_TEXT_BYTES = 8 << 20;
/** Text goes to the write-ahead log first and then to the index. */
const WRITES_PER_BYTE = 2;
/** How long large messages are worked on before others have their turn. */
const TURN_MS = 10;
/** Text that is indexed in that time, at most. */
const TURN_BYTES = 1 << 20;
/** How long a question waits for large messages: most are through by then. */
const PATIENCE_MS = 50;
/** For those of modest size it is as much work on them, where others leave this thread little time; in all, this. */
const MAX_PATIENCE_MS = 2000;
/** That passes, and nobody would index the message again. */
const isOutOfDescriptors = (error: unknown): boolean =>
  /^E[MN]FILE$/.test(String((error as { code?: string }).code));
/** How long this thread has had a processor. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
const NOTHING: Answer = { seqs: new Float64Array(), total: 0 };

/** A question that waits for large messages. */
interface Waiting {
  readonly number: number;
  readonly question: Question;
  /** The last of them. */
  readonly lastSeq: number;
  /** By the clock of `performance`; infinite when it must know all. */
  readonly until: number;
  /** What `#workedMs` has to come to before it is answered without a message of modest size. */
  readonly untilWorked: number;
}

export function serveSearch(port: SearchPort, finder: TextFinder): void {
  const server = new SearchServer(port, finder);
  port.receive((message) => server.handle(message));
}

class SearchServer {
  readonly #port: SearchPort;
  readonly #finder: TextFinder;
  readonly #reader = new BodyReader();
  readonly #long: LongMessages;
  #waiting: Waiting[] = [];
  #isWorking = false;
  /** Time of this thread that has gone into large messages. */
  #workedMs = 0;
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

  constructor(port: SearchPort, finder: TextFinder) {
    this.#port = port;
    this.#finder = finder;
    this.#long = new LongMessages({
      slice: finder.slice,
      index: () => this.#spilled ?? this.#opened(),
      passes: isOutOfDescriptors,
    });
  }

  handle(message: ToWorker): void {
    this.#orFail(() => this.#handle(message));
  }

  /** What goes wrong here ends the worker; another takes over. */
  #orFail(act: () => void): void {
    try {
      act();
    } catch (error) {
      const { code = "", message = String(error) } = error as { code?: string; message?: string };
      this.#port.send({ kind: "failed", code, message });
    }
  }

  #handle(message: ToWorker): void {
    switch (message.kind) {
      case "open":
        this.#salt = message.salt;
        if (message.anew) removeDerived(message.path);
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
        this.#ask(message.number, message.question);
        break;
    }
  }

  #open(path: string, clearedSeq: number, lastSeq: number): void {
    const index = new TextIndex(path);
    this.#index = index;
    if (!index.isInMemory) this.#room = new Room(dirname(path), FLOOR_SHARE);
    if (index.clearedSeq !== clearedSeq || index.indexedSeq > lastSeq) index.clear(clearedSeq);
    const { indexedSeq, why } = index;
    this.#port.send({ kind: "opened", indexedSeq, held: index.held(), why });
    if (index.isReadOnly) this.#standStill();
  }

  #add(additions: readonly Addition[]): void {
    this.#unlessFull(() => {
      for (const message of messagesOf(additions, this.#reader, this.#salt)) this.#addMessage(message);
    });
    this.#port.send({ kind: "added" });
  }

  #addMessage(message: AddedMessage): void {
    const { seq, sender, recipients, size } = message;
    const isLong = size > LONG_MESSAGE_BYTES && message.subject !== null;
    if (!isLong && this.#spilled === null) this.#uncommittedBytes += size;
    this.#mustTake(this.#uncommittedBytes + (isLong ? Math.min(size, MAX_TEXT_BYTES) : 0));
    if (isLong) {
      this.#long.add({ ...message, subject: message.subject });
      this.#workSoon();
    } else {
      const { subject, body } = this.#text(message);
      (this.#spilled ?? this.#opened()).add({ seq, subject, body, sender, recipients });
    }
    this.#changed(1);
  }

  #workSoon(): void {
    if (this.#isWorking || !this.#long.hasWork) return;
    this.#isWorking = true;
    setImmediate(() => {
      this.#isWorking = false;
      this.#orFail(() => this.#work());
    });
  }

  /** What arrives between two turns is dealt with first. */
  #work(): void {
    const end = Math.min(performance.now() + TURN_MS, ...this.#waiting.map(({ until }) => until));
    const had = threadMs();
    const wasIdle = this.#long.isIdle;
    this.#unlessFull(() => {
      if (!wasIdle) this.#mustTake(TURN_BYTES);
      do this.#long.step();
      while (this.#long.hasWork && performance.now() < end);
      if (!wasIdle && this.#long.isIdle) this.#commit();
    });
    this.#workedMs += threadMs() - had;
    this.#answerWaiting();
    this.#workSoon();
  }

  #remove(seqs: readonly number[]): void {
    this.#removed.push(...seqs);
    this.#long.remove(seqs);
    this.#unlessFull(() => {
      const index = this.#spilled ?? this.#opened();
      for (const seq of seqs) index.remove(seq);
      this.#changed(seqs.length);
    });
  }

  /** What waits in memory to be written is to be counted as well: the disk does not show it yet. */
  #mustTake(bytes: number): void {
    if (this.#spilled !== null || this.#room?.takes(bytes * WRITES_PER_BYTE) !== false) return;
    this.#commit();
    throw new StoreError("disk_full", "the disk has no room for the text index");
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
    this.#long.clear();
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
      this.#long.clear();
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
    this.#long.clear();
    this.#opened().clear(clearedSeq);
    this.#spilled?.clear(clearedSeq);
    this.#removed = [];
    this.#reader.close();
  }

  #ask(number: number, question: Question): void {
    if (this.#long.isIdle || question.kind === "close") {
      this.#port.send({ kind: "answer", number, answer: this.#answer(question) });
      return;
    }
    const { lastSeq } = this.#long;
    const isShort = "patience" in question && question.patience === "short";
    const until = isShort ? performance.now() + PATIENCE_MS : Number.POSITIVE_INFINITY;
    this.#waiting.push({ number, question, lastSeq, until, untilWorked: this.#workedMs + PATIENCE_MS });
  }

  #answerWaiting(): void {
    const now = performance.now();
    const isDue = (waiting: Waiting) => this.#isDue(waiting, now);
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((waiting) => !isDue(waiting));
    for (const { number, question } of due)
      this.#port.send({ kind: "answer", number, answer: this.#answer(question) });
  }

  #isDue({ question, lastSeq, until, untilWorked }: Waiting, now: number): boolean {
    const { isIdle, firstSeq, firstModestSeq } = this.#long;
    if (isIdle || (question.kind !== "barrier" && firstSeq > lastSeq)) return true;
    if (now < until) return false;
    return firstModestSeq > lastSeq || this.#workedMs >= untilWorked || now >= until + MAX_PATIENCE_MS;
  }

  /** Even a question may write: what has gathered in memory is merged into the index before it is searched. */
  #answer(question: Question): Answer | null {
    let answer: Answer | null = null;
    if (question.kind === "close") return this.#find(question);
    this.#unlessFull(() => {
      answer = this.#find(question);
    });
    return answer;
  }

  #find(question: Question): Answer {
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
        this.#close();
        return NOTHING;
    }
  }

  /** Messages whose text is not through yet are handed over again at the next start, with all that came after. */
  #close(): void {
    if (!this.#long.isIdle) this.#index?.rollback();
    this.#long.clear();
    this.#unlessFull(() => this.#commit());
    if (this.#tidyTimer !== null) clearTimeout(this.#tidyTimer);
    this.#index?.close();
    this.#index = null;
    this.#reader.close();
  }

  /** A message that cannot be read or digested is found by its envelope all the same. */
  #text({ open, size }: AddedMessage): { subject: string; body: string } {
    try {
      return this.#finder.find(open(this.#reader).read(0, size));
    } catch (error) {
      if (isOutOfDescriptors(error)) throw error;
      return { subject: "", body: "" };
    }
  }

  #changed(changes: number): void {
    this.#uncommitted += changes;
    if (this.#uncommitted >= COMMIT_AFTER_CHANGES) this.#commit();
    else
      this.#timer ??= setTimeout(
        () => this.#orFail(() => this.#unlessFull(() => this.#commit())),
        COMMIT_AFTER_MS,
      );
  }

  /** Not before all texts are through: after a crash the index would be believed to hold them. */
  #commit(): void {
    this.#stopTimer();
    if (!this.#long.isIdle) return;
    this.#uncommitted = 0;
    this.#uncommittedBytes = 0;
    if (this.#spilled === null) this.#save();
  }

  #save(): void {
    this.#index?.commit();
    if (this.#removed.length === 0) return;
    this.#port.send({ kind: "removed", seqs: this.#removed });
    this.#removed = [];
    this.#tidyTimer ??= setTimeout(() => this.#orFail(() => this.#startTidying()), TIDY_AFTER_MS);
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
    if (!this.#long.isIdle) {
      this.#tidyTimer = setTimeout(() => this.#orFail(() => this.#tidy(step)), TIDY_AFTER_MS);
      return;
    }
    try {
      if (step() === "done") return;
    } catch (error) {
      // A full disk has no room to tidy up: the index is as good as before.
      if (asStoreError(error).code !== "disk_full") throw error;
      return;
    }
    this.#tidyTimer = setTimeout(() => this.#orFail(() => this.#tidy(step)), TIDY_PAUSE_MS);
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
