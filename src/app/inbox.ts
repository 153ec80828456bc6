// The inbox: the only writer of the store and the only publisher of events.
// Every change publishes right after the store has it, in the order of the changes.
import type { EventBus } from "../events/index.ts";
import type { InboxEvent, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import type { Envelope, MessageDraft, Store } from "../store/index.ts";
import { type ArrivalTagging, NO_TAGGING, startTagging, type TagCollector } from "./arrival-tags.ts";

/** A message on its way in: tagged, and announced once it is stored. */
class Arrival implements MessageDraft {
  readonly #draft: MessageDraft;
  readonly #tags: TagCollector;
  readonly #bus: EventBus<InboxEvent>;

  constructor(draft: MessageDraft, tags: TagCollector, bus: EventBus<InboxEvent>) {
    this.#draft = draft;
    this.#tags = tags;
    this.#bus = bus;
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
    this.#bus.publish({ type: "message:new", data: summary });
    return summary;
  }
}

export class Inbox {
  readonly #store: Store;
  readonly #bus: EventBus<InboxEvent>;
  readonly #tagging: ArrivalTagging;

  constructor(store: Store, bus: EventBus<InboxEvent>, tagging: ArrivalTagging = NO_TAGGING) {
    this.#store = store;
    this.#bus = bus;
    this.#tagging = tagging;
  }

  receive(envelope: Envelope): MessageDraft {
    const draft = this.#store.begin(envelope);
    return new Arrival(draft, startTagging(this.#tagging, envelope), this.#bus);
  }

  /** The changed summaries, in the order asked; ids that name nothing are left out. */
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

  async delete(ids: readonly string[]): Promise<string[]> {
    return this.#publishDeleted(await this.#store.delete(ids));
  }

  async deleteMatching(filter: MessageFilter): Promise<string[]> {
    return this.#publishDeleted(await this.#store.deleteMatching(filter));
  }

  async clear(): Promise<number> {
    const deleted = await this.#store.clear();
    this.#bus.publish({ type: "messages:clear" });
    return deleted;
  }

  #publishDeleted(ids: string[]): string[] {
    for (const id of ids) this.#bus.publish({ type: "message:delete", data: { id } });
    return ids;
  }
}
