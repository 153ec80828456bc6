// Brings every new mail that matches a filter to a webhook or a relay: one at a time, oldest first.
// SMTP clients do not wait. The journal keeps the progress.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../lib/logger.ts";
import type { DeliveryState, MessageFilter, MessageSummary } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { coalesced } from "../coalesced.ts";
import type { Journal, JournalEntry } from "./journal.ts";

export interface Target {
  readonly kind: "webhook" | "relay";
  /** The target as it is shown in logs and answers, without secrets. */
  readonly origin: string;
  /** Whether the target takes a mail that matches `DeliveriesOptions.filter`. By default all. */
  wants?(message: MessageSummary): boolean;
  /** The promise always resolves. The signal ends the delivery early. */
  deliver(
    message: MessageSummary,
    signal: AbortSignal,
    earlier: JournalEntry | undefined,
  ): Promise<DeliveryOutcome>;
}

export type DeliveryOutcome =
  | ({ readonly kind: "delivered" } & Pick<JournalEntry, "response" | "accepted" | "rejected" | "reason">)
  /** A `failed` mail is tried again, and later mails wait. A `refused` mail is given up. */
  | ({ readonly kind: "failed" | "refused"; readonly reason: string } & Pick<JournalEntry, "rejected">)
  /** Tried again later. Later mails wait only if `MAX_DEFERRED` mails are deferred already. */
  | ({ readonly kind: "deferred"; readonly reason: string } & Pick<
      JournalEntry,
      "accepted" | "rejected" | "deferred" | "refusals"
    >)
  /** The mail was deleted before its turn. */
  | { readonly kind: "gone" };

export interface DeliveriesOptions {
  readonly target: Target;
  readonly filter: MessageFilter;
  readonly store: Store;
  readonly journal: Journal;
  readonly logger: Logger;
  readonly now: () => Date;
  /** A new target gets only mail after this id. */
  readonly newest: string;
  readonly timing?: Partial<DeliveryTiming>;
}

export interface DeliveryTiming {
  /** The pauses before the second try, the third and so on. The last pause is repeated. */
  readonly retryMs: readonly number[];
  readonly maxTries: number;
  /** How long deliveries may go on after stop(). */
  readonly graceMs: number;
  /** How soon a failed read is retried. */
  readonly readAgainMs: number;
}

/** 300 tries take about a day. */
const DEFAULT_TIMING: DeliveryTiming = {
  retryMs: [1000, 4000, 15_000, 60_000, 300_000],
  maxTries: 300,
  graceMs: 1500,
  readAgainMs: 5000,
};

/** Mails of one moment, and the ids of those that matched the filter then. */
interface Arrived {
  readonly messages: MessageSummary[];
  readonly matching: Promise<readonly string[]>;
}

interface Waiting {
  readonly id: string;
  /** The journal entry of the last try, if the mail was deferred. */
  readonly earlier?: JournalEntry;
  /** Null for deferred mails and mails far back in the queue, which are read again at their turn. */
  readonly message: MessageSummary | null;
}

/** The summaries of this many waiting mails are kept in memory. */
const HELD = 1000;
const READ_AT_ONCE = 1000;
/**
 * While this many mails are deferred, no other mail is deferred. A mail that the server refuses for now
 * then stays first in the queue, and later mails wait.
 */
const MAX_DEFERRED = 1000;

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #timing: DeliveryTiming;
  readonly #waiting: Waiting[] = [];
  readonly #deferred = new Map<string, { readonly timer: NodeJS.Timeout; readonly due: string }>();
  readonly #unsubscribe: () => void;
  readonly #stopping = new AbortController();
  /** Aborted when the grace period is over. Then the current try ends. */
  readonly #graceOver = new AbortController();
  /** Mails that were announced and are not queued yet, oldest first. */
  readonly #arrived: Arrived[] = [];
  /** The mails announced in this turn of the event loop. */
  #announced: MessageSummary[] = [];
  /** False if mail that came before `#arrived` must be read from the store: after the start, and after a failure. */
  #hasReadAll = false;
  /** All mails up to this id were compared with the filter. */
  #readUpTo = "";
  #running: Promise<void> | null = null;
  #readingAgain: NodeJS.Timeout | null = null;
  /** True from the first failure until a delivery succeeds. */
  #isFailing = false;
  #counts = { delivered: 0, failed: 0, skipped: 0 };
  #tries = 0;
  /** Why the last try of the first mail in the queue failed. */
  #reason: string | undefined;
  #lastDelivery: string | null = null;
  #lastError: DeliveryState["last_error"] = null;
  #nextTry: string | null = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#unsubscribe = options.store.onChange((change) => {
      if (change.kind !== "added") return;
      if (this.#announced.push(change.message) === 1) queueMicrotask(() => this.#compareAnnounced());
    });
    for (const entry of options.journal.waiting) this.#retryLater(entry, 1);
    void this.#read();
  }

  get state(): DeliveryState {
    const dueTimes = [...this.#deferred.values()].map(({ due }) => due).toSorted();
    const nextTry = this.#nextTry ?? dueTimes[0] ?? null;
    const isSending = this.#running !== null && this.#nextTry === null;
    return {
      origin: this.#options.target.origin,
      state: isSending ? "sending" : nextTry === null ? "idle" : "retrying",
      waiting: this.#waitingCount,
      ...this.#counts,
      last_delivery: this.#lastDelivery,
      last_error: this.#lastError,
      next_try: nextTry,
    };
  }

  /** Undefined if the target does not get this mail, or the journal has forgotten its outcome. */
  outcomeOf(id: string): JournalEntry | undefined {
    const place = this.#waiting.findIndex((waiting) => waiting.id === id && waiting.earlier === undefined);
    if (place < 0) return this.#options.journal.outcomeOf(id);
    const tried =
      place === 0 ? { tries: this.#tries, ...(this.#reason && { reason: this.#reason }) } : { tries: 0 };
    return { id, at: this.#time(), status: "waiting", ...tried };
  }

  /** Compares mail with the filter at once, because a test may delete or change it right after it arrived. */
  #compareAnnounced(): void {
    const { store, filter } = this.#options;
    const messages = this.#announced;
    this.#announced = [];
    const ids = messages.map(({ id }) => id);
    const matching = store.matching(filter, ids);
    matching.catch(() => {});
    this.#arrived.push({ messages, matching });
    void this.#read();
  }

  get #waitingCount(): number {
    return this.#waiting.length + this.#deferred.size;
  }

  /** Still delivers queued mails, until a delivery fails or the grace period is over. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    for (const { timer } of this.#deferred.values()) clearTimeout(timer);
    const grace = setTimeout(() => this.#graceOver.abort(), this.#timing.graceMs);
    await this.#running;
    clearTimeout(grace);
    if (this.#readingAgain !== null) clearTimeout(this.#readingAgain);
    if (this.#waitingCount === 0) return;
    this.#warn("stopped early", { waiting: this.#waitingCount });
  }

  readonly #read = coalesced(async () => {
    try {
      const { journal, newest } = this.#options;
      if (journal.position === null) journal.moveTo(newest);
      this.#readUpTo ||= journal.position ?? "";
      while (!this.#hasReadAll) this.#hasReadAll = await this.#readOn();
      for (let [next] = this.#arrived; next !== undefined; [next] = this.#arrived) {
        const matching = new Set(await next.matching);
        for (const message of next.messages)
          this.#enqueue(message.id, matching.has(message.id) ? message : null);
        this.#arrived.shift();
      }
      this.#notePosition();
    } catch (error) {
      this.#hasReadAll = false;
      this.#arrived.length = 0;
      if (this.#isStopping) return;
      this.#warn("cannot read the mail", { reason: String(error) });
      this.#readingAgain ??= setTimeout(() => {
        this.#readingAgain = null;
        void this.#read();
      }, this.#timing.readAgainMs);
    }
  });

  /** Returns true if all mail that came before `#arrived` is read. */
  async #readOn(): Promise<boolean> {
    const { store, filter } = this.#options;
    const after = this.#readUpTo === "" ? {} : { after: this.#readUpTo };
    const ids = await store.walk(filter, { ...after, limit: READ_AT_ONCE });
    const end = this.#arrived[0]?.messages[0]?.id;
    const earlier = end === undefined ? ids : ids.filter((id) => id < end);
    for (const id of earlier) this.#enqueue(id, await store.get(id));
    return ids.length === 0 || earlier.length < ids.length;
  }

  /** Takes null for a mail that does not match, or was deleted. */
  #enqueue(id: string, message: MessageSummary | null): void {
    this.#readUpTo = id;
    if (message === null || this.#options.target.wants?.(message) === false) return;
    this.#waiting.push({ id, message: this.#waiting.length < HELD ? message : null });
    this.#start();
  }

  #start(): void {
    if (!this.#isStopping) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const isDone = await this.#deliver(next);
      if (this.#graceOver.signal.aborted || (this.#isStopping && !isDone)) return;
    }
    // An await between the last check of the queue and this line would leave a new mail waiting.
    this.#running = null;
    this.#notePosition();
  }

  /**
   * Saves up to which mail the filter was applied, because a restart must not apply it again: tags may have
   * changed since then. The position must not pass mail that waits.
   */
  #notePosition(): void {
    if (this.#waiting.length === 0 && this.#readUpTo !== "") this.#options.journal.moveTo(this.#readUpTo);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** False if stop() ended the tries before the mail was delivered, deferred or given up. */
  async #deliver({ id, message: held, earlier }: Waiting): Promise<boolean> {
    const { store, target } = this.#options;
    const message = held ?? (await store.get(id));
    let before = earlier;
    this.#reason = earlier?.reason;
    for (this.#tries = (earlier?.tries ?? 0) + 1; ; this.#tries++) {
      const outcome = message === null ? GONE : await target.deliver(message, this.#graceOver.signal, before);
      if (this.#isStopping && outcome.kind === "failed") return false;
      this.#note(id, outcome);
      const mayRetry = outcome.kind === "failed" || outcome.kind === "deferred";
      if (!mayRetry || this.#tries >= this.#timing.maxTries) {
        this.#waiting.shift();
        this.#settle(id, outcome, before);
        return true;
      }
      if (outcome.kind === "deferred") {
        const { kind: _, ...rest } = outcome;
        before = { id, at: this.#time(), status: "waiting", tries: this.#tries, ...rest };
        if (this.#deferred.size < MAX_DEFERRED) {
          this.#waiting.shift();
          this.#options.journal.add(before);
          this.#retryLater(before, this.#tries);
          return true;
        }
      }
      await this.#pause(this.#delayAfter(this.#tries));
      if (this.#isStopping) return false;
    }
  }

  #retryLater(earlier: JournalEntry, tries: number): void {
    if (this.#isStopping) return;
    const { id } = earlier;
    const ms = this.#delayAfter(tries);
    const timer = setTimeout(() => {
      this.#deferred.delete(id);
      this.#waiting.push({ id, message: null, earlier });
      this.#start();
    }, ms);
    this.#deferred.set(id, { timer, due: this.#time(ms) });
  }

  #delayAfter(tries: number): number {
    const { retryMs } = this.#timing;
    return retryMs[Math.min(tries, retryMs.length) - 1] ?? 0;
  }

  async #pause(ms: number): Promise<void> {
    this.#nextTry = this.#time(ms);
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
    this.#nextTry = null;
  }

  /** Logs when the target begins to fail, works again, or defers a mail at the first try. */
  #note(id: string, outcome: DeliveryOutcome): void {
    const { logger, target } = this.#options;
    if (outcome.kind === "gone") return;
    if (outcome.kind === "delivered") {
      const { failed } = this.#counts;
      if (this.#isFailing) logger.info(`${target.kind} works again`, { to: target.origin, failed });
      this.#isFailing = false;
      this.#lastDelivery = this.#time();
      if (outcome.reason) this.#lastError = { at: this.#time(), reason: outcome.reason };
      return;
    }
    this.#reason = outcome.reason;
    this.#lastError = { at: this.#time(), reason: outcome.reason };
    if (outcome.kind === "deferred") {
      if (this.#tries === 1) this.#warn("will try a mail again", { id, reason: outcome.reason });
      return;
    }
    if (!this.#isFailing) this.#warn("fails", { reason: outcome.reason });
    this.#isFailing = true;
  }

  #settle(id: string, outcome: DeliveryOutcome, before: JournalEntry | undefined): void {
    const isGivenUp = outcome.kind === "deferred" || (outcome.kind === "failed" && before);
    const { kind, ...rest } = isGivenUp ? givenUp({ ...before, ...outcome }) : outcome;
    const status = kind === "delivered" ? "delivered" : kind === "gone" ? "skipped" : "failed";
    this.#counts[status]++;
    this.#options.journal.add({ id, at: this.#time(), status, tries: this.#tries, ...rest });
    if ("reason" in rest && rest.reason) {
      const what = status === "failed" ? "gives up on a mail" : "was refused for some recipients";
      this.#warn(what, { id, reason: rest.reason });
    }
    if (status === "skipped") this.#warn("skips a mail that was deleted before its turn", { id });
  }

  #time(ms = 0): string {
    return new Date(this.#options.now().getTime() + ms).toISOString();
  }

  #warn(what: string, fields: Readonly<Record<string, string | number>>): void {
    const { logger, target } = this.#options;
    logger.warn(`${target.kind} ${what}`, { to: target.origin, ...fields });
  }
}

const GONE: DeliveryOutcome = { kind: "gone" };

/** Recipients that did not get the mail by the last try count as rejected. */
function givenUp(
  outcome: { readonly reason: string } & Pick<JournalEntry, "accepted" | "rejected" | "deferred">,
) {
  const { accepted = [], rejected = [], deferred = [], reason } = outcome;
  const kind = accepted.length > 0 ? ("delivered" as const) : ("failed" as const);
  return { kind, accepted, rejected: [...rejected, ...deferred], reason };
}
