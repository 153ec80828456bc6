// One wait: it watches for events that may change the answer, and ends with an answer or is abandoned. It
// releases what it holds, and never polls.
import type { EventSource } from "../../events/index.ts";
import type { InboxEvent } from "../../model/index.ts";

/** The server stops, or the client hung up: nobody is interested any more. */
export class WaitAbandonedError extends Error {
  constructor() {
    super("The wait was cancelled.");
    this.name = "WaitAbandonedError";
  }
}

/** The inbox was removed. Mail of a later inbox of the same name is not for this caller. */
export class InboxRemovedError extends Error {
  constructor(readonly inbox: string) {
    super(`The inbox ${inbox} was removed.`);
    this.name = "InboxRemovedError";
  }
}

/** The token, session or password of the caller is no longer valid. */
export class AccessEndedError extends Error {
  constructor() {
    super("The credentials are not valid any more.");
    this.name = "AccessEndedError";
  }
}

const endedBy = ({ reason }: AbortSignal) =>
  reason instanceof InboxRemovedError || reason instanceof AccessEndedError
    ? reason
    : new WaitAbandonedError();

/** Starts watching; returns the function that stops it. */
export type Begin<Result> = (done: (result: Result) => void, fail: (error: unknown) => void) => () => void;

/** Any of the signals abandons the wait. */
export async function wait<Result>(signals: readonly AbortSignal[], begin: Begin<Result>): Promise<Result> {
  const ended = signals.find(({ aborted }) => aborted);
  if (ended !== undefined) throw endedBy(ended);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const abandon = (event: Event) => reject(endedBy(event.target as AbortSignal));
  for (const signal of signals) signal.addEventListener("abort", abandon, { once: true });
  const end = begin(resolve, reject);
  try {
    return await promise;
  } finally {
    end();
    for (const signal of signals) signal.removeEventListener("abort", abandon);
  }
}

/** The same with a time limit. It looks once more when the time is over, because a mail may just have arrived. */
export const within =
  <Result>(timeoutMs: number, lastLook: () => Promise<Result>, begin: Begin<Result>): Begin<Result> =>
  (done, fail) => {
    const timer = setTimeout(() => void lastLook().then(done, fail), timeoutMs);
    const end = begin(done, fail);
    return () => {
      clearTimeout(timer);
      end();
    };
  };

export interface WatchOptions {
  readonly bus: EventSource<InboxEvent>;
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
