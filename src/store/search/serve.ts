// The worker's side of the text index: takes messages in order, keeps the index, answers.
// The text is found by functions it is given: the store does not know MIME.
import { removeDerived } from "../derived-db.ts";
import { type AddedMessage, messagesOf } from "./additions.ts";
import { Batches } from "./batches.ts";
import { BodyReader } from "./body-reader.ts";
import { Gauge } from "./gauge.ts";
import { KeptIndex } from "./kept-index.ts";
import { isLong, LongMessages, type SliceText } from "./long-messages.ts";
import type { Addition, Answer, FromWorker, Question, ToWorker } from "./protocol.ts";
import { type Asked, WaitingQuestions } from "./waiting-questions.ts";
import { workedMs } from "./worked-time.ts";

export interface TextFinder {
  readonly find: (raw: Uint8Array) => { subject: string; body: string };
  readonly slice: SliceText;
}

export interface SearchPort {
  receive(listener: (message: ToWorker) => void): void;
  send(message: FromWorker): void;
}

/** Of one message, as far as it is indexed. */
const MAX_TEXT_BYTES = 8 << 20;
/** How long messages are worked on, and then large ones, before others have their turn. */
const TURN_MS = 10;
/** Text that is indexed in that time, at most. */
const TURN_BYTES = 1 << 20;
/** That passes, and nobody would index the message again. */
const isOutOfDescriptors = (error: unknown): boolean =>
  /^E[MN]FILE$/.test(String((error as { code?: string }).code));
const NOTHING: Answer = { seqs: new Float64Array(), total: 0 };

export function serveSearch(port: SearchPort, finder: TextFinder): void {
  const server = new SearchServer(port, finder);
  port.receive((message) => server.handle(message));
}

class SearchServer {
  readonly #port: SearchPort;
  readonly #finder: TextFinder;
  readonly #reader = new BodyReader();
  readonly #index: KeptIndex;
  readonly #batches: Batches;
  readonly #long: LongMessages;
  readonly #gauge: Gauge;
  readonly #waiting = new WaitingQuestions(() => performance.now());
  #isWorking = false;
  /** Since messages were last added. */
  #mergingMs = 0;
  #salt = 0;

  constructor(port: SearchPort, finder: TextFinder) {
    this.#port = port;
    this.#finder = finder;
    this.#index = new KeptIndex({
      send: (message) => port.send(message),
      run: (act) => this.#run(act),
      forget: () => this.#forget(),
    });
    this.#batches = new Batches(() => port.send({ kind: "added" }));
    this.#gauge = new Gauge(finder.find);
    this.#long = new LongMessages({
      slice: finder.slice,
      index: () => this.#index.current,
      passes: isOutOfDescriptors,
      cut: (seq, chars) => port.send({ kind: "cut", seq, chars }),
      now: () => performance.now(),
    });
  }

  handle(message: ToWorker): void {
    this.#run(() => this.#handle(message));
  }

  /** Everything passes here. What goes wrong ends the worker; another takes over. */
  #run(act: () => void): void {
    try {
      act();
      this.#answerDue();
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
        this.#index.open(message);
        break;
      case "add":
        this.#add(message.additions);
        break;
      case "sample":
        this.#measure(message.additions);
        break;
      case "remove":
        this.#batches.remove(message.seqs);
        this.#long.remove(message.seqs);
        this.#index.remove(message.seqs);
        break;
      case "clear":
        this.#forget();
        this.#index.clear(message.clearedSeq);
        this.#reader.close();
        break;
      case "resume":
        this.#batches.clear();
        this.#passOver();
        this.#index.resume();
        break;
      case "ask":
        this.#ask(message);
        break;
    }
  }

  #add(additions: Extract<ToWorker, { kind: "add" }>["additions"]): void {
    const parsed = typeof additions === "string" ? JSON.parse(additions) : additions;
    this.#batches.add(messagesOf(parsed, this.#reader, this.#salt));
    this.#workSoon();
  }

  #measure(sample: readonly Addition[]): void {
    const msPerByte = this.#gauge.measure(sample, this.#salt);
    if (msPerByte !== null) this.#port.send({ kind: "sampled", msPerByte });
  }

  /** What waits is handed over again, or gone. */
  #forget(): void {
    this.#batches.clear();
    this.#long.clear();
  }

  /** As many as there is time for. */
  #addSome(end: number): void {
    const begun = workedMs();
    let bytes = 0;
    let isTaken = false;
    this.#index.unlessFull(() => {
      do {
        const message = this.#batches.take();
        if (message === null) break;
        this.#addMessage(message);
        if (!isLong(message)) bytes += message.size;
      } while (performance.now() < end);
      isTaken = true;
      this.#index.worked(workedMs() - begun);
    });
    if (!isTaken) this.#batches.clear();
    const ms = workedMs() - begun + this.#mergingMs;
    this.#port.send({ kind: "indexed", bytes, ms, mergingMs: this.#mergingMs });
    this.#mergingMs = 0;
  }

  #addMessage(message: AddedMessage): void {
    const { seq, subject, sender, recipients, size } = message;
    if (this.#index.current.holds(seq)) return;
    if (isLong(message) && subject !== null) {
      this.#index.mustTake(Math.min(size, MAX_TEXT_BYTES));
      this.#long.add({ ...message, subject });
      return;
    }
    this.#index.mustTake(size);
    this.#index.current.add({ seq, ...this.#text(message), sender, recipients });
    this.#index.added(size);
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

  #workSoon(): void {
    if (this.#isWorking || (this.#batches.isEmpty && !this.#long.hasWork)) return;
    this.#isWorking = true;
    setImmediate(() => {
      this.#isWorking = false;
      this.#run(() => this.#work());
    });
  }

  /** What arrives between two turns is dealt with first. */
  #work(): void {
    if (this.#index.mustMerge) this.#merge();
    else if (!this.#batches.isEmpty) this.#addSome(performance.now() + TURN_MS);
    if (this.#long.hasWork) this.#goThroughLong(performance.now() + TURN_MS);
    this.#workSoon();
  }

  #merge(): void {
    const begun = workedMs();
    this.#index.merge();
    this.#mergingMs += workedMs() - begun;
  }

  #goThroughLong(end: number): void {
    const begun = workedMs();
    const wasIdle = this.#long.isIdle;
    this.#index.unlessFull(() => {
      if (!wasIdle) this.#index.mustTake(TURN_BYTES);
      do this.#long.step();
      while (this.#long.hasWork && performance.now() < end);
      if (wasIdle) return;
      if (this.#long.isIdle) this.#index.added(0);
      this.#index.worked(workedMs() - begun);
    });
  }

  #ask(asked: Asked): void {
    if (asked.question.kind !== "close") {
      this.#waiting.add(asked);
      return;
    }
    this.#addSome(Number.POSITIVE_INFINITY);
    this.#answerDue();
    this.#passOver();
    this.#answer(asked);
  }

  #answerDue(): void {
    const progress = { reachedSeq: this.#batches.reachedSeq, long: this.#long.seqs };
    for (const asked of this.#waiting.takeDue(progress)) this.#answer(asked);
  }

  /** What they waited for is handed over again, so they are to be asked again. */
  #passOver(): void {
    for (const { number } of this.#waiting.takeAll())
      this.#port.send({ kind: "answer", number, answer: null });
  }

  #answer({ number, question }: Asked): void {
    this.#port.send({ kind: "answer", number, answer: this.#answerTo(question) });
  }

  /** Even a question may write: what has gathered in memory is merged into the index before it is searched. */
  #answerTo(question: Question): Answer | null {
    let answer: Answer | null = null;
    if (question.kind === "close") return this.#find(question);
    this.#index.unlessFull(() => {
      answer = this.#find(question);
    });
    return answer;
  }

  #find(question: Question): Answer {
    switch (question.kind) {
      case "page":
        return this.#index.current.page(question.match, question.before, question.limit, question.offset);
      case "all": {
        const seqs = this.#index.current.all(question.match);
        return { seqs, total: seqs.length };
      }
      case "text":
        return NOTHING;
      case "barrier":
        this.#index.commit();
        this.#reader.close();
        return NOTHING;
      case "close":
        this.#index.close();
        this.#reader.close();
        return NOTHING;
    }
  }
}
