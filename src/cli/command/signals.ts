// The first signal stops the process gracefully. A second signal ends it at once.
import { constants } from "node:os";

const ENDED_BY_SIGNAL = 128;
const ENDED_BY_SECOND_SIGNAL = 130;
/** timeout(1), npm and terminals signal a process and its group: one request may arrive twice. */
const SAME_REQUEST_MS = 100;

/** The exit code of a process ended by a signal, as in shells. */
export const exitCodeOf = (signal: NodeJS.Signals): number => ENDED_BY_SIGNAL + constants.signals[signal];

/** Not SIGHUP: a listener for it would undo nohup. Stored mail survives the end of the process. */
export const END_SIGNALS = ["SIGINT", "SIGTERM"] as const;

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    firstAt ??= at;
    if (at - firstAt >= SAME_REQUEST_MS) process.exit(ENDED_BY_SECOND_SIGNAL);
    resolve(signal);
  };
  for (const signal of END_SIGNALS) process.on(signal, onSignal);
  return promise;
}
