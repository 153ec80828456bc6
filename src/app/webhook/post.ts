// One POST to the webhook's receiver, and what its answer means. Redirects are not followed: they could lead
// credentials elsewhere. The body of the answer is thrown away, however long it is.
import type { WebhookTarget } from "./target.ts";

export type PostOutcome =
  | { readonly kind: "delivered" }
  /** `failed` may go better next time, `refused` will not. The reason holds nothing secret. */
  | { readonly kind: "failed" | "refused"; readonly reason: string };

const TOO_MANY_REQUESTS = 429;

export async function post(
  target: WebhookTarget,
  body: string,
  userAgent: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const headers = new Headers({ "content-type": "application/json", "user-agent": userAgent });
  if (target.authorization !== null) headers.set("authorization", target.authorization);
  try {
    const response = await fetch(target.url, { method: "POST", headers, body, redirect: "manual", signal });
    response.body?.cancel().catch(() => {});
    return outcomeOf(response);
  } catch (error) {
    return { kind: "failed", reason: signal.aborted ? "no answer in time" : reasonOf(error) };
  }
}

function outcomeOf({ ok, status }: Response): PostOutcome {
  if (ok) return { kind: "delivered" };
  const isPassing = status >= 500 || status === TOO_MANY_REQUESTS;
  return { kind: isPassing ? "failed" : "refused", reason: `HTTP status ${status}` };
}

/** The code only: messages and paths of network errors may repeat the URL. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name);
}
