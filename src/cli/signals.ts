// The first SIGINT or SIGTERM asks for a stop in good order; another one, later, ends the process at once.

const ENDED_BY_SECOND_SIGNAL = 130;
/** timeout(1), npm and terminals signal a process and its group: the same request comes twice. */
const SAME_REQUEST_MS = 1000;

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    asked ??= now;
    if (now - asked >= SAME_REQUEST_MS) process.exit(ENDED_BY_SECOND_SIGNAL);
    resolve(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return promise;
}
