// A typed bus with one topic. Publishing is synchronous and in order, so the order of events is the order of the
// changes; a failing subscriber cannot break a publisher. Its failure is reported once until it works again: a line
// for every mail would fill the log.

type Subscriber<Event> = (event: Event) => void;

/** What can be listened to. */
export interface EventSource<Event> {
  /** Returns the function that ends the subscription. */
  subscribe(subscriber: Subscriber<Event>): () => void;
}

export class EventBus<Event> implements EventSource<Event> {
  readonly #subscribers = new Set<Subscriber<Event>>();
  readonly #failing = new Set<Subscriber<Event>>();
  readonly onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.onFailure = onFailure;
  }

  subscribe(subscriber: Subscriber<Event>): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
      this.#failing.delete(subscriber);
    };
  }

  publish(event: Event): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
        if (this.#failing.size > 0) this.#failing.delete(subscriber);
      } catch (error) {
        if (!this.#failing.has(subscriber)) this.onFailure(error);
        this.#failing.add(subscriber);
      }
    }
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }
}
