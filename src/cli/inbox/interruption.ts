// What must not stay behind when somebody ends the process in the middle of it.
import { endSignals, exitCodeOf } from "../signals.ts";

/** Calls back when a signal ends the process, until it is disposed of. */
export function onInterruption(cleanUp: () => void): Disposable {
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    process.exit(exitCodeOf(signal));
  };
  const signals = endSignals();
  for (const signal of signals) process.on(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}
