// Evaluates a question again whenever an event may have changed its answer; never polls.
// Evaluations do not overlap: what happens during one leads to one more.
import type { EventBus } from "../../events/index.ts";
import type { InboxEvent } from "../../model/index.ts";

export interface WatchOptions {
  readonly bus: EventBus<InboxEvent>;
  readonly concerns: (event: InboxEvent) => boolean;
  readonly evaluate: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Evaluates once at once. Returns the function that ends it. */
export function watch({ bus, concerns, evaluate, onError }: WatchOptions): () => void {
  let running = false;
  let again = false;
  let ended = false;
  const run = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await evaluate();
    } while (again && !ended);
    running = false;
  };
  const start = () => void run().catch(onError);
  const consider = (event: InboxEvent) => {
    if (concerns(event)) start();
  };
  const unsubscribe = bus.subscribe(consider);
  start();
  return () => {
    ended = true;
    unsubscribe();
  };
}
