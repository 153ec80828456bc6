// The first SIGINT or SIGTERM asks for a stop in good order; another one ends the process at once.
import { constants } from "node:os";

const ENDED_BY_SIGNAL = 128;
const ENDED_BY_SECOND_SIGNAL = 130;
/** timeout(1), npm and terminals signal a process and its group: the same request comes twice, in a moment. */
const SAME_REQUEST_MS = 100;

/** Of a process that a signal has ended, as shells have it. */
export const exitCodeOf = (signal: NodeJS.Signals): number => ENDED_BY_SIGNAL + constants.signals[signal];

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    first ??= { signal, at };
    const isSameRequest = signal === first.signal && at - first.at < SAME_REQUEST_MS;
    if (!isSameRequest) process.exit(ENDED_BY_SECOND_SIGNAL);
    resolve(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return promise;
}
