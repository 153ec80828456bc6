// The inbox: the only writer of the store and the only publisher of events.
// Every change publishes right after the store has it, in the order of the changes. A sender hears of its message
// when it can be searched as well.
import type { EventBus } from "../events/index.ts";
import type { InboxEvent, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import type { Envelope, MessageDraft, Store } from "../store/index.ts";
import { type ArrivalTagging, NO_TAGGING, startTagging, type TagCollector } from "./arrival-tags.ts";

/** Announces a message; the promise, if any, fulfils when its sender may be told. */
type Announce = (summary: MessageSummary) => Promise<void> | null;

/** A message on its way in: tagged, and announced once it is stored. */
class Arrival implements MessageDraft {
  readonly #draft: MessageDraft;
  readonly #tags: TagCollector;
  readonly #announce: Announce;

  constructor(draft: MessageDraft, tags: TagCollector, announce: Announce) {
    this.#draft = draft;
    this.#tags = tags;
    this.#announce = announce;
  }

  append(chunk: Uint8Array): void | Promise<void> {
    this.#tags.push(chunk);
    return this.#draft.append(chunk);
  }

  abort(): void {
    this.#draft.abort();
  }

  async commit(): Promise<MessageSummary> {
    const summary = await this.#draft.commit(this.#tags.finish());
    const searchable = this.#announce(summary);
    if (searchable !== null) await searchable;
    return summary;
  }
}

export interface InboxOptions {
  readonly store: Store;
  readonly bus: EventBus<InboxEvent>;
  /** Hears of messages that could not be searched yet when they were announced, as soon as they can. */
  readonly searchable: EventBus<MessageSummary>;
  readonly tagging?: ArrivalTagging;
}

export class Inbox {
  readonly #store: Store;
  readonly #bus: EventBus<InboxEvent>;
  readonly #searchable: EventBus<MessageSummary>;
  readonly #tagging: ArrivalTagging;
  /** Tell senders that they need not wait any longer. */
  readonly #waiting = new Set<() => void>();
  #isEnding = false;

  constructor({ store, bus, searchable, tagging = NO_TAGGING }: InboxOptions) {
    this.#store = store;
    this.#bus = bus;
    this.#searchable = searchable;
    this.#tagging = tagging;
  }

  receive(envelope: Envelope): MessageDraft {
    const draft = this.#store.begin(envelope);
    return new Arrival(draft, startTagging(this.#tagging, envelope), this.#announce);
  }

  /** The changed messages, in the order asked; ids that name nothing are left out. */
  async update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    const changed = await this.#store.update(ids, change);
    for (const { id, is_read, is_starred, tags } of changed) {
      if (change.is_read !== undefined) this.#bus.publish({ type: "message:read", data: { id, is_read } });
      if (change.is_starred !== undefined) {
        this.#bus.publish({ type: "message:starred", data: { id, is_starred } });
      }
      if (change.tags !== undefined) this.#bus.publish({ type: "message:tags", data: { id, tags } });
    }
    return changed;
  }

  delete(ids: readonly string[]): Promise<string[]> {
    return this.#store.delete(ids, this.#deleted);
  }

  deleteMatching(filter: MessageFilter): Promise<string[]> {
    return this.#store.deleteMatching(filter, this.#deleted);
  }

  async clear(): Promise<number> {
    const deleted = await this.#store.clear();
    this.#bus.publish({ type: "messages:clear" });
    return deleted;
  }

  /** Nobody is there to search any more, so no sender waits for it: what is missing is indexed at the next start. */
  end(): void {
    this.#isEnding = true;
    for (const tell of this.#waiting) tell();
  }

  readonly #deleted = (ids: readonly string[]): void => {
    for (const id of ids) this.#bus.publish({ type: "message:delete", data: { id } });
  };

  readonly #announce: Announce = (summary) => {
    this.#bus.publish({ type: "message:new", data: summary });
    const searchable = this.#isEnding ? null : this.#store.searchable(summary);
    if (searchable === null) return null;
    const told = Promise.withResolvers<void>();
    this.#waiting.add(told.resolve);
    void searchable.then(() => {
      this.#waiting.delete(told.resolve);
      this.#searchable.publish(summary);
      told.resolve();
    });
    return told.promise;
  };
}
