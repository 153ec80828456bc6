// How long this thread has worked: time in which others kept it from that does not count.

const NAP = new Int32Array(new SharedArrayBuffer(4));
const NAP_MS = 0.02;

/** Milliseconds; systems bring it up to date every few of them. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Linux also brings it up to date when the thread falls asleep. */
export function exactlyWorkedMs(): number {
  Atomics.wait(NAP, 0, 0, NAP_MS);
  return workedMs();
}
