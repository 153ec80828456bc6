// Gives up on a server that accepts the connection and stays silent, or stops in the middle of its answer. As long as
// bytes come, there is no limit.
import { showMilliseconds } from "./time.ts";

/** Extra time for a busy server, beyond the time that it is asked to wait. */
const PATIENCE_MS = 30_000;

export interface Deadline {
  /** Aborted by the caller, or when time is up. */
  readonly signal: AbortSignal;
  /** Bytes have come: the time starts over. */
  goesOn(): void;
}

/** After it resolves there is no deadline any more; the caller's `signal` still applies. */
export async function answerInTime<Answer>(
  waitMs: number,
  signal: AbortSignal | undefined,
  ask: (deadline: Deadline) => Promise<Answer>,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  const deadline = new AbortController();
  const giveUpAfter = (ms: number) =>
    setTimeout(() => deadline.abort(new Error(`no answer within ${showMilliseconds(ms)}`)), ms);
  let timer = giveUpAfter(waitMs + patienceMs);
  try {
    return await ask({
      signal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal,
      goesOn: () => {
        clearTimeout(timer);
        timer = giveUpAfter(patienceMs);
      },
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the whole body. */
export async function readInTime({ body }: Response, { goesOn }: Deadline): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    goesOn();
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
