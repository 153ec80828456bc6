// The first SIGINT or SIGTERM asks for a stop in good order; a second one ends the process at once.

const ENDED_BY_SECOND_SIGNAL = 130;

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(ENDED_BY_SECOND_SIGNAL);
    isStopping = true;
    resolve(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return promise;
}
