// The first signal stops the process gracefully. A second signal ends it at once.
import { readFileSync } from "node:fs";
import { constants } from "node:os";

const ENDED_BY_SIGNAL = 128;
const ENDED_BY_SECOND_SIGNAL = 130;
/** timeout(1), npm and terminals signal a process and its group: one request may arrive twice. */
const SAME_REQUEST_MS = 100;

/** The exit code of a process ended by a signal, as in shells. */
export const exitCodeOf = (signal: NodeJS.Signals): number => ENDED_BY_SIGNAL + constants.signals[signal];

/** A listener for SIGHUP would undo nohup. Only /proc shows whether SIGHUP is ignored. */
function mayIgnoreHangUp(): boolean {
  try {
    const [, mask = ""] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
  } catch {
    return process.platform !== "win32";
  }
}

export const endSignals = (): NodeJS.Signals[] =>
  mayIgnoreHangUp() ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    firstAt ??= at;
    const isSameRequest = at - firstAt < SAME_REQUEST_MS;
    // SIGHUP comes from a closed terminal, not from an impatient person.
    if (!isSameRequest && signal !== "SIGHUP") process.exit(ENDED_BY_SECOND_SIGNAL);
    resolve(signal);
  };
  for (const signal of endSignals()) process.on(signal, onSignal);
  return promise;
}
