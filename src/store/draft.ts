// A message on its way in: small ones gather in memory, large ones go on to a file as they arrive.
import type { MessageSummary } from "../model/index.ts";
import { asStoreError } from "./errors.ts";
import type { Body, BodyFile, Log } from "./log/log.ts";
import type { Envelope, MessageDraft, MessageFacts, MessageScan } from "./store.ts";
import { StoreError } from "./store.ts";

export interface Finished {
  readonly envelope: Envelope;
  readonly facts: MessageFacts;
  readonly tags: readonly string[];
  readonly body: Body;
}

export interface DraftSink {
  insert(message: Finished, answer?: PromiseWithResolvers<MessageSummary>): Promise<MessageSummary>;
  /** A body is still on its way to disk: the store must not close before it is there. */
  waitFor(body: Promise<Body>): void;
}

export class Draft implements MessageDraft {
  readonly #envelope: Envelope;
  readonly #scan: MessageScan;
  readonly #log: Log;
  readonly #sink: DraftSink;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #file: BodyFile | null = null;
  #ended = false;

  constructor(envelope: Envelope, scan: MessageScan, log: Log, sink: DraftSink) {
    this.#envelope = envelope;
    this.#scan = scan;
    this.#log = log;
    this.#sink = sink;
  }

  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#ended) throw new StoreError("closed", "the draft has ended");
    this.#scan.push(chunk);
    this.#size += chunk.length;
    try {
      if (this.#file !== null) return this.#file.append(chunk);
      this.#chunks.push(chunk);
      if (this.#size > this.#log.largeBytes) return this.#moveToFile();
    } catch (error) {
      this.abort();
      throw asStoreError(error);
    }
  }

  commit(tags: readonly string[] = []): Promise<MessageSummary> {
    if (this.#ended) return Promise.reject(new StoreError("closed", "the draft has ended"));
    this.#ended = true;
    const envelope = this.#envelope;
    const facts = this.#scan.finish();
    const file = this.#file;
    if (file === null) {
      const body: Body = { kind: "chunks", chunks: this.#chunks, size: this.#size };
      return this.#sink.insert({ envelope, facts, tags, body });
    }
    const answer = Promise.withResolvers<MessageSummary>();
    const written = file.finish();
    this.#sink.waitFor(written);
    written.then(
      (body) => {
        this.#sink.insert({ envelope, facts, tags, body }, answer).catch(() => file.remove());
      },
      (error) => answer.reject(asStoreError(error)),
    );
    return answer.promise;
  }

  abort(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#chunks = [];
    this.#file?.abort();
  }

  #moveToFile(): void | Promise<void> {
    const file = this.#log.openBodyFile();
    this.#file = file;
    const answers = this.#chunks.map((chunk) => file.append(chunk));
    this.#chunks = [];
    return answers.at(-1);
  }
}
