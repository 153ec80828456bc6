// Gives up on a server that takes the connection and says nothing. Once an answer has begun it may take its time.
import { showMilliseconds } from "./time.ts";

/** A busy server may need a while, beyond the time that it is asked to wait. */
const PATIENCE_MS = 30_000;

/** `signal` goes on to count for the body of the answer. */
export async function answerInTime<Answer>(
  waitMs: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<Answer>,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  const deadline = new AbortController();
  const limitMs = waitMs + patienceMs;
  const timer = setTimeout(
    () => deadline.abort(new Error(`no answer within ${showMilliseconds(limitMs)}`)),
    limitMs,
  );
  try {
    return await ask(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
