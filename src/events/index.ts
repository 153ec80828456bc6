// A typed bus with one topic. Publishing is synchronous, so the order of events is the order of the changes. A failing
// subscriber cannot break a publisher.

type Subscriber<Event> = (event: Event) => void;

export interface EventSource<Event> {
  /** Returns the function that ends the subscription. */
  subscribe(subscriber: Subscriber<Event>): () => void;
}

export class EventBus<Event> implements EventSource<Event> {
  readonly #subscribers = new Set<Subscriber<Event>>();

  constructor(readonly onFailure: (error: unknown) => void) {}

  subscribe(subscriber: Subscriber<Event>): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  publish(event: Event): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
      } catch (error) {
        this.onFailure(error);
      }
    }
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }
}
