// Long waits in pieces: Node's fetch gives up on an answer that takes five minutes to begin.
import { millisecondsOf, refuseNumber, type TimeSpan } from "./time.ts";
import type { Parameter } from "./transport.ts";

export interface Limits {
  /** Time for the condition to become true. */
  readonly timeout?: TimeSpan | undefined;
  /** How long it must stay true. */
  readonly settle?: TimeSpan | undefined;
}

/** The parameters that ask the server to wait, and how long it may take. */
export interface Wait {
  readonly parameters: readonly Parameter[];
  readonly waitMs: number;
}

interface Verdict {
  readonly ok: boolean;
  readonly waited_ms?: number;
}

const MAX_REQUEST_MS = 4 * 60_000;
/** A request waits for a piece of the timeout and a piece of the settling. */
const PIECE_MS = MAX_REQUEST_MS / 2;
/** The limit of the API, which refuses more. */
const MAX_MS = 5 * 60_000;

function waitOf(limits: Limits): Wait {
  const { timeout = "0s", settle = "0s" } = limits;
  const parameters = Object.entries(limits).flatMap(([name, span]): Parameter[] =>
    span === undefined ? [] : [[name, span]],
  );
  // A time that cannot be read is refused at once.
  return { parameters, waitMs: millisecondsOf(timeout) + millisecondsOf(settle) || 0 };
}

/** In one request, or in as many as a long wait takes. */
export async function waitWithin<Answer extends Verdict>(
  limits: Limits,
  request: (wait: Wait) => Promise<Answer>,
): Promise<Answer> {
  refuseNumber("timeout", limits.timeout);
  refuseNumber("settle", limits.settle);
  const timeout = millisecondsOf(limits.timeout ?? "0s");
  const settle = millisecondsOf(limits.settle ?? "0s");
  const isLong = timeout + settle > MAX_REQUEST_MS && Math.max(timeout, settle) <= MAX_MS;
  return isLong ? waitInPieces({ timeout, settle }, request) : request(waitOf(limits));
}

/** Each piece begins with a look at the mailbox, so only changes that are undone between two requests are missed. */
async function waitInPieces<Answer extends Verdict>(
  { timeout, settle }: { timeout: number; settle: number },
  request: (wait: Wait) => Promise<Answer>,
): Promise<Answer> {
  let waited = 0;
  let held = 0;
  for (;;) {
    const timeoutPiece = held > 0 ? 0 : Math.min(PIECE_MS, timeout - waited);
    const settlePiece = Math.min(PIECE_MS, settle - held);
    const answer = await request(
      waitOf({ timeout: `${timeoutPiece}ms`, settle: settlePiece > 0 ? `${settlePiece}ms` : undefined }),
    );
    waited += answer.ok ? (answer.waited_ms ?? 0) : Math.max(timeoutPiece, answer.waited_ms ?? 0);
    held = answer.ok ? held + settlePiece : 0;
    const isOver = answer.ok ? held >= settle : waited >= timeout;
    if (isOver) return { ...answer, waited_ms: waited };
  }
}
