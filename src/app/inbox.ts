// The inbox: the only writer of the store and the only publisher of events.
// Every change publishes right after the store has it, in the order of the changes. A large message is announced
// once its text can be searched, or when something else happens to it.
import type { EventBus } from "../events/index.ts";
import type { InboxEvent, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import type { Envelope, MessageDraft, Store } from "../store/index.ts";
import { type ArrivalTagging, NO_TAGGING, startTagging, type TagCollector } from "./arrival-tags.ts";

/** A message on its way in: tagged, and announced once it is stored. */
class Arrival implements MessageDraft {
  readonly #draft: MessageDraft;
  readonly #tags: TagCollector;
  readonly #announce: (summary: MessageSummary) => Promise<void> | null;

  constructor(
    draft: MessageDraft,
    tags: TagCollector,
    announce: (summary: MessageSummary) => Promise<void> | null,
  ) {
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
    const announced = this.#announce(summary);
    if (announced !== null) await announced;
    return summary;
  }
}

export class Inbox {
  readonly #store: Store;
  readonly #bus: EventBus<InboxEvent>;
  readonly #tagging: ArrivalTagging;
  /** Large messages that are stored and not announced yet. */
  readonly #unannounced = new Map<string, MessageSummary>();
  /** Tell the senders of large messages that they need not wait any longer. */
  readonly #waiting = new Set<() => void>();
  #isEnding = false;

  constructor(store: Store, bus: EventBus<InboxEvent>, tagging: ArrivalTagging = NO_TAGGING) {
    this.#store = store;
    this.#bus = bus;
    this.#tagging = tagging;
  }

  receive(envelope: Envelope): MessageDraft {
    const draft = this.#store.begin(envelope);
    return new Arrival(draft, startTagging(this.#tagging, envelope), this.#stored);
  }

  /** The changed summaries, in the order asked; ids that name nothing are left out. */
  async update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    const changed = await this.#store.update(ids, change);
    for (const { id, is_read, is_starred, tags } of changed) {
      this.#announce(id);
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
    for (const id of this.#unannounced.keys()) this.#announce(id);
    this.#bus.publish({ type: "messages:clear" });
    return deleted;
  }

  /** Nobody is there to search any more, so no sender waits for it: what is missing is indexed at the next start. */
  end(): void {
    this.#isEnding = true;
    for (const id of this.#unannounced.keys()) this.#announce(id);
    for (const tell of this.#waiting) tell();
  }

  readonly #deleted = (ids: readonly string[]): void => {
    for (const id of ids) {
      this.#announce(id);
      this.#bus.publish({ type: "message:delete", data: { id } });
    }
  };

  /** A promise when the message is too large to be announced at once; it fulfils when it has been. */
  readonly #stored = (summary: MessageSummary): Promise<void> | null => {
    const searchable = this.#isEnding ? null : this.#store.searchable(summary);
    if (searchable === null) {
      this.#bus.publish({ type: "message:new", data: summary });
      return null;
    }
    this.#unannounced.set(summary.id, summary);
    const told = Promise.withResolvers<void>();
    this.#waiting.add(told.resolve);
    void searchable.then(() => {
      this.#waiting.delete(told.resolve);
      this.#announce(summary.id);
      told.resolve();
    });
    return told.promise;
  };

  #announce(id: string): void {
    const summary = this.#unannounced.get(id);
    if (summary === undefined) return;
    this.#unannounced.delete(id);
    this.#bus.publish({ type: "message:new", data: summary });
  }
}
