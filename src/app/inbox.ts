// The inbox: the only writer of the store and the only publisher of events. Events follow the changes of the store,
// in their order, before the client that asked for a change gets its answer.
import type { EventBus } from "../events/index.ts";
import type { InboxEvent, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import type { Envelope, MessageDraft, Store, StoreChange } from "../store/index.ts";
import { type ArrivalTagging, NO_TAGGING, startTagging } from "./arrival-tags.ts";

export interface InboxOptions {
  readonly store: Store;
  readonly bus: EventBus<InboxEvent>;
  readonly tagging?: ArrivalTagging;
}

export class Inbox {
  readonly #store: Store;
  readonly #tagging: ArrivalTagging;

  constructor({ store, bus, tagging = NO_TAGGING }: InboxOptions) {
    this.#store = store;
    this.#tagging = tagging;
    store.onChange((change) => {
      for (const event of eventsOf(change)) bus.publish(event);
    });
  }

  /** A message on its way in, tagged by what it brings along. */
  receive(envelope: Envelope): MessageDraft {
    const draft = this.#store.begin(envelope);
    const tags = startTagging(this.#tagging, envelope);
    return {
      append: (chunk) => {
        tags.push(chunk);
        return draft.append(chunk);
      },
      commit: () => draft.commit(tags.finish()),
      abort: () => draft.abort(),
    };
  }

  /** The changed messages, in the order asked; ids that name nothing are left out. */
  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    return this.#store.update(ids, change);
  }

  delete(ids: readonly string[]): Promise<string[]> {
    return this.#store.delete(ids);
  }

  deleteMatching(filter: MessageFilter): Promise<string[]> {
    return this.#store.deleteMatching(filter);
  }

  clear(): Promise<number> {
    return this.#store.clear();
  }
}

function* eventsOf(change: StoreChange): Generator<InboxEvent> {
  switch (change.kind) {
    case "added":
      yield { type: "message:new", data: change.message };
      break;
    case "changed":
      for (const { id, is_read, is_starred, tags } of change.messages) {
        if (change.fields.includes("is_read")) yield { type: "message:read", data: { id, is_read } };
        if (change.fields.includes("is_starred")) yield { type: "message:starred", data: { id, is_starred } };
        if (change.fields.includes("tags")) yield { type: "message:tags", data: { id, tags } };
      }
      break;
    case "deleted":
      for (const id of change.ids) yield { type: "message:delete", data: { id } };
      break;
    case "cleared":
      yield { type: "messages:clear" };
      break;
    case "setting":
  }
}
