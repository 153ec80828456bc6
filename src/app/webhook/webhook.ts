// Tells one HTTP receiver of every new mail, with the frame that WebSocket clients get. One at a time, in order,
// apart from the accept path: a receiver that fails, hangs or is gone costs its own notices, never a mail.
import { setTimeout as sleep } from "node:timers/promises";
import type { EventBus } from "../../events/index.ts";
import type { LogFields, Logger } from "../../lib/logger.ts";
import type { InboxEvent, WebhookState } from "../../model/index.ts";
import { BodyQueue, type QueueLimits } from "./body-queue.ts";
import { type PostOutcome, post } from "./post.ts";
import { type WebhookTarget, webhookTarget } from "./target.ts";

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
