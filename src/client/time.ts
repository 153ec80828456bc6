// Spans of time as the API takes them, and waits that are longer than one request may take.
import { parseDuration } from "../lib/time.ts";

/** `"500ms"`, `"10s"`, `"2m"`. A number alone is refused: it may mean seconds or milliseconds. */
export type TimeSpan = `${number}${"ms" | "s" | "m"}`;

/** NaN if the text is not a span. */
export const millisecondsOf = (span: string): number => parseDuration(span.trim()) ?? Number.NaN;

/** Milliseconds for a person: "800 ms", "1.5 s". */
export function showMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}

/** The limit of the API. */
const MAX_WAIT_MS = 5 * 60_000;

/** Without types anything may be passed. The sentence is that of the API. */
export function waitOf(name: string, span: TimeSpan): number {
  const milliseconds = typeof span === "string" ? millisecondsOf(span) : Number.NaN;
  if (milliseconds <= MAX_WAIT_MS) return milliseconds;
  throw new TypeError(
    `${name} must be a span of time such as 500ms, 10s or 2m, at most 5m; given was '${span}'`,
  );
}

/** Node's fetch gives up if an answer does not begin within five minutes. A piece of each limit is well below that. */
const PIECE_MS = 2 * 60_000;

interface Verdict {
  readonly ok: boolean;
  readonly waited_ms?: number;
}

/** Waits until a condition is true, and for as long as it must stay true: in one request, or in several. */
export async function waitInPieces<Answer extends Verdict>(
  { timeout, settle }: { readonly timeout: TimeSpan; readonly settle: TimeSpan },
  request: (parameters: [name: string, value: string][], waitMs: number) => Promise<Answer>,
): Promise<Answer> {
  const [timeoutMs, settleMs] = [waitOf("timeout", timeout), waitOf("settle", settle)];
  let waited = 0;
  let held = 0;
  for (;;) {
    const timeoutPiece = held > 0 ? 0 : Math.min(PIECE_MS, timeoutMs - waited);
    const settlePiece = Math.min(PIECE_MS, settleMs - held);
    const parameters: [string, string][] = [["timeout", `${timeoutPiece}ms`]];
    if (settlePiece > 0) parameters.push(["settle", `${settlePiece}ms`]);
    const answer = await request(parameters, timeoutPiece + settlePiece);
    const { ok, waited_ms = 0 } = answer;
    const total = waited + waited_ms;
    waited += ok ? waited_ms : Math.max(timeoutPiece, waited_ms);
    held = ok ? held + settlePiece : 0;
    const isOver = ok ? held >= settleMs : waited >= timeoutMs;
    if (isOver) return { ...answer, waited_ms: total };
  }
}
