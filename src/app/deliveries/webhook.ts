// Tells an HTTP receiver of a new mail: with the same JSON as WebSocket clients get, or with a text for Slack. With a
// secret, the request is signed as in the Standard Webhooks specification.
import { createHmac } from "node:crypto";
import type { MessageSummary } from "../../model/index.ts";
import type { DeliveryOutcome, Target } from "./deliveries.ts";

export interface WebhookOptions {
  /** http or https, perhaps with credentials. */
  readonly url: string;
  readonly format: "event" | "slack";
  /** `whsec_` and the key in base64. */
  readonly secret: string | undefined;
  readonly userAgent: string;
  readonly now: () => Date;
  /** The time limit for the status and header of the answer. */
  readonly answerMs?: number;
}

const ANSWER_MS = 10_000;
const SECRET_PREFIX = "whsec_";

export function webhookTarget(options: WebhookOptions): Target {
  const { format, secret, userAgent, now, answerMs = ANSWER_MS } = options;
  const { url, authorization, origin } = addressOf(options.url);
  return {
    kind: "webhook",
    origin,
    deliver: async (message, stop) => {
      const body = JSON.stringify(FORMATS[format](message));
      const timestamp = String(Math.floor(now().getTime() / 1000));
      const headers = new Headers({
        "content-type": "application/json",
        "user-agent": userAgent,
        // The id is the same at every try, so that a receiver recognises duplicates.
        "webhook-id": message.id,
        "webhook-timestamp": timestamp,
      });
      if (secret !== undefined) headers.set("webhook-signature", sign(secret, message.id, timestamp, body));
      if (authorization !== null) headers.set("authorization", authorization);
      return post(url, headers, body, AbortSignal.any([AbortSignal.timeout(answerMs), stop]));
    },
  };
}

const FORMATS: Readonly<Record<WebhookOptions["format"], (message: MessageSummary) => object>> = {
  event: (data) => ({ type: "message:new", data }),
  slack: ({ sender, recipients, subject }) => ({
    text: escapeSlack(`${subject || "(no subject)"}\nfrom ${sender || "<>"} to ${recipients.join(", ")}`),
  }),
};

/** Keeps Slack from reading `<…>` in a mail as a link or as a mention of everybody. */
const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** Credentials are sent in a header. Logs and answers show only the origin, because path and query may hold a token. */
function addressOf(address: string) {
  const url = new URL(address);
  const { username, password, origin } = url;
  const isNamed = username !== "" || password !== "";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  url.username = "";
  url.password = "";
  url.hash = "";
  const authorization = isNamed ? `Basic ${Buffer.from(credentials).toString("base64")}` : null;
  return { url: url.href, authorization, origin };
}

const TOO_MANY_REQUESTS = 429;

/** Redirects are not followed, because they could lead credentials elsewhere. */
async function post(
  url: string,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    response.body?.cancel().catch(() => {});
    if (response.ok) return { kind: "delivered" };
    const isPassing = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
    return { kind: isPassing ? "failed" : "refused", reason: `HTTP status ${response.status}` };
  } catch (error) {
    return { kind: "failed", reason: signal.aborted ? "no answer in time" : reasonOf(error) };
  }
}

/** Only the code or the name: the message of a network error may repeat the URL. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name);
}
