// What must not stay behind when somebody ends the process in the middle of it.
import { exitCodeOf } from "../signals.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Calls back when a signal ends the process, until it is disposed of. */
export function onInterruption(cleanUp: () => void): Disposable {
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    process.exit(exitCodeOf(signal));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, end);
    },
  };
}
