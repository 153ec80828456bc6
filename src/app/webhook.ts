// Tells one HTTP receiver of every new mail, with the frame that WebSocket clients get. One at a time, in order,
// apart from the accept path: a receiver that fails, hangs or is gone costs its own notices, never a mail.
import { setTimeout as sleep } from "node:timers/promises";
import type { EventBus } from "../events/index.ts";
import type { LogFields, Logger } from "../lib/logger.ts";
import type { InboxEvent, WebhookState } from "../model/index.ts";

export interface WebhookOptions {
  /** http or https, perhaps with credentials. */
  readonly url: string;
  readonly bus: EventBus<InboxEvent>;
  readonly logger: Logger;
  readonly userAgent: string;
  readonly timing?: Partial<WebhookTiming>;
  readonly limits?: QueueLimits;
}

export interface WebhookTiming {
  /** For one POST, up to the head of its answer. */
  readonly answerMs: number;
  /** Before the second try, the third, and so on; after the last one a notice is given up. */
  readonly retryMs: readonly number[];
  /** For what is under way when Mailkeep stops. */
  readonly graceMs: number;
}

const DEFAULT_TIMING: WebhookTiming = { answerMs: 10_000, retryMs: [1000, 4000, 15_000], graceMs: 1500 };
const DEFAULT_LIMITS: QueueLimits = { maxBodies: 10_000, maxBytes: 8 * 1024 ** 2 };

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #timing: WebhookTiming;
  readonly #target: WebhookTarget;
  readonly #queue: BodyQueue;
  readonly #unsubscribe: () => void;
  /** Aborted when Mailkeep stops: nothing is tried twice from then on. */
  readonly #stopping = new AbortController();
  #isGraceOver = false;
  #running: Promise<void> | null = null;
  #posting: AbortController | null = null;
  /** Since the last POST that worked. */
  #isFailing = false;
  /** Given way in a full queue, since it was last empty. */
  #dropped = 0;
  #delivered = 0;
  #lost = 0;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#target = webhookTarget(options.url);
    this.#queue = new BodyQueue(options.limits ?? DEFAULT_LIMITS);
    this.#unsubscribe = options.bus.subscribe((event) => {
      if (event.type === "message:new") this.#enqueue(JSON.stringify(event));
    });
  }

  get state(): WebhookState {
    return {
      origin: this.#target.origin,
      waiting: this.#queue.length,
      delivered: this.#delivered,
      lost: this.#lost,
    };
  }

  /** Goes on for a short grace, up to the first failure; what is left then is lost. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    const grace = setTimeout(() => {
      this.#isGraceOver = true;
      this.#posting?.abort();
    }, this.#timing.graceMs);
    await this.#running;
    clearTimeout(grace);
    if (this.#queue.length > 0) this.#warn("webhook stopped early", { unsent: this.#queue.length });
  }

  #enqueue(body: string): void {
    const dropped = this.#queue.push(body);
    if (dropped > 0 && this.#dropped === 0) {
      this.#warn("webhook too slow, dropping the oldest notices", { waiting: this.#queue.length });
    }
    this.#dropped += dropped;
    this.#lost += dropped;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let body = this.#queue.shift(); body !== undefined; body = this.#queue.shift()) {
      const isDelivered = await this.#deliver(body);
      if (isDelivered) this.#delivered++;
      else this.#lost++;
      if (this.#isGraceOver || (this.#isStopping && !isDelivered)) return;
    }
    // In the same turn in which the queue was seen empty: a notice that comes next starts a new run.
    this.#running = null;
    if (this.#dropped > 0) this.#warn("webhook caught up", { dropped: this.#dropped });
    this.#dropped = 0;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #deliver(body: string): Promise<boolean> {
    for (const retryMs of [...this.#timing.retryMs, null]) {
      const outcome = await this.#post(body);
      this.#note(outcome);
      if (outcome.kind === "delivered") return true;
      if (outcome.kind === "refused" || retryMs === null) return false;
      await pause(retryMs, this.#stopping.signal);
      if (this.#isStopping) return false;
    }
    return false;
  }

  async #post(body: string): Promise<PostOutcome> {
    const posting = new AbortController();
    this.#posting = posting;
    const late = setTimeout(() => posting.abort(), this.#timing.answerMs);
    try {
      return await post(this.#target, body, this.#options.userAgent, posting.signal);
    } finally {
      clearTimeout(late);
      this.#posting = null;
    }
  }

  /** One line when trouble begins, one when it is over: a receiver that is gone must not fill the log. */
  #note(outcome: PostOutcome): void {
    if (outcome.kind === "delivered") {
      if (this.#isFailing)
        this.#options.logger.info("webhook works again", { to: this.#target.origin, lost: this.#lost });
      this.#isFailing = false;
      return;
    }
    if (!this.#isFailing) this.#warn("webhook fails", { reason: outcome.reason });
    this.#isFailing = true;
  }

  #warn(event: string, fields: LogFields): void {
    this.#options.logger.warn(event, { to: this.#target.origin, ...fields });
  }
}

/** Ends early, and well, when the signal says so. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

interface QueueLimits {
  readonly maxBodies: number;
  readonly maxBytes: number;
}

/**
 * The bodies that wait to be sent, first in, first out. Bounded in count and bytes: the oldest give way, because who looks
 * at a receiver after an outage wants to see what happens now.
 */
class BodyQueue {
  readonly #limits: QueueLimits;
  readonly #bodies: string[] = [];
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** The number of bodies that gave way; the new one never does, however large it is. */
  push(body: string): number {
    this.#bodies.push(body);
    this.#bytes += Buffer.byteLength(body);
    let dropped = 0;
    for (; this.#bodies.length > 1 && this.#isOverfull; dropped++) this.shift();
    return dropped;
  }

  shift(): string | undefined {
    const body = this.#bodies.shift();
    if (body !== undefined) this.#bytes -= Buffer.byteLength(body);
    return body;
  }

  get #isOverfull(): boolean {
    return this.#bodies.length > this.#limits.maxBodies || this.#bytes > this.#limits.maxBytes;
  }
}

/**
 * Where it goes. Credentials leave the URL here and travel as Basic authorization (RFC 7617); path and query may hold a
 * token, so people are shown the origin only.
 */
interface WebhookTarget {
  readonly url: string;
  readonly authorization: string | null;
  /** Fit for logs and answers. */
  readonly origin: string;
}

function webhookTarget(address: string): WebhookTarget {
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

type PostOutcome =
  | { readonly kind: "delivered" }
  /** `failed` may go better next time, `refused` will not. The reason holds nothing secret. */
  | { readonly kind: "failed" | "refused"; readonly reason: string };

const TOO_MANY_REQUESTS = 429;

/**
 * Redirects are not followed: they could lead credentials elsewhere. The body of the answer is thrown away, however long
 * it is.
 */
async function post(
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
