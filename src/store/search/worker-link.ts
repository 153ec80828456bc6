// One life of the search worker: started, opened, told, asked, and at some point dead. Whoever asked when it
// died learns of it and may ask the next one.
import { asStoreError } from "../errors.ts";
import type { Answer, FromWorker, IndexedTurn, Known, Question, ToWorker } from "./protocol.ts";

type Said<Kind extends FromWorker["kind"]> = Extract<FromWorker, { kind: Kind }>;

export interface WorkerLinkEvents {
  opened(index: Said<"opened">): void;
  indexed(turn: IndexedTurn): void;
  sampled(msPerByte: number): void;
  added(): void;
  full(): void;
  resumed(index: Said<"resumed">): void;
  cut(seq: number, chars: number): void;
  removed(seqs: readonly number[]): void;
  /** Called once, unless the end was asked for. */
  died(cause: WorkerDied): void;
}

/** Whatever SQLite complains of, but for the lack of room, of memory or of permission. */
const DAMAGED_INDEX = /^SQLITE_(?!FULL|NOMEM|READONLY|CANTOPEN|PERM|BUSY|LOCKED|AUTH)/;

export class WorkerDied extends Error {
  constructor(reason: string, code: string) {
    super(`the search worker has died: ${reason}`, { cause: Object.assign(new Error(reason), { code }) });
    this.name = "WorkerDied";
  }

  /** It died of its index: another one will, too, unless the index is built anew. */
  get isOfIndex(): boolean {
    return DAMAGED_INDEX.test((this.cause as { code: string }).code);
  }

  /** In the words of the store, for whoever cannot wait for another life. */
  asStoreError() {
    return asStoreError(this.cause);
  }
}

export class WorkerLink {
  readonly #worker: Worker;
  readonly #events: WorkerLinkEvents;
  readonly #asked = new Map<number, PromiseWithResolvers<Answer | null>>();
  #isOpen = false;
  #isDead = false;
  #lastNumber = 0;

  constructor(worker: Worker, opening: ToWorker, events: WorkerLinkEvents) {
    this.#worker = worker;
    this.#events = events;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#handle(data);
    worker.onerror = ({ message }) => this.#die(message);
    worker.addEventListener("close", () => this.#die("the thread ended"));
    worker.postMessage(opening);
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#isDead;
  }

  tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** Null when the worker had no room for all that was told before. */
  ask(question: Question, known: Known): Promise<Answer | null> {
    const answer = Promise.withResolvers<Answer | null>();
    const number = ++this.#lastNumber;
    this.#asked.set(number, answer);
    this.tell({ kind: "ask", number, question, ...known });
    return answer.promise;
  }

  terminate(): void {
    this.#isDead = true;
    this.#worker.terminate();
    this.#rejectAll(new WorkerDied("it was ended", ""));
  }

  #handle(message: FromWorker): void {
    if (this.#isDead) return;
    switch (message.kind) {
      case "opened":
        this.#isOpen = true;
        this.#events.opened(message);
        break;
      case "indexed":
        this.#events.indexed(message);
        break;
      case "sampled":
        this.#events.sampled(message.msPerByte);
        break;
      case "added":
        this.#events.added();
        break;
      case "full":
        this.#events.full();
        break;
      case "resumed":
        this.#events.resumed(message);
        break;
      case "cut":
        this.#events.cut(message.seq, message.chars);
        break;
      case "removed":
        this.#events.removed(message.seqs);
        break;
      case "answer":
        this.#asked.get(message.number)?.resolve(message.answer);
        this.#asked.delete(message.number);
        break;
      case "failed":
        this.#die(message.message, message.code);
        break;
    }
  }

  #die(reason: string, code = ""): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#worker.terminate();
    const cause = new WorkerDied(reason, code);
    this.#events.died(cause);
    this.#rejectAll(cause);
  }

  #rejectAll(cause: WorkerDied): void {
    for (const { reject } of this.#asked.values()) reject(cause);
    this.#asked.clear();
  }
}
