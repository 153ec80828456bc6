// Deletes mail beyond the limits of age, number and size, of all inboxes or of one inbox, the oldest first. Starred
// mail stays by default. The newest mail is never deleted for number or size, because its sender gets a 250.
import type { Logger } from "../lib/logger.ts";
import type { MailView, StoreChange } from "../store/index.ts";
import { coalesced } from "./coalesced.ts";

export interface RetentionOptions {
  readonly store: MailView;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly maxAgeMs?: number | undefined;
  readonly maxMessages?: number | undefined;
  /** Bytes of raw mail. */
  readonly maxBytes?: number | undefined;
  readonly includeStarred: boolean;
}

const [SHORTEST_INTERVAL_MS, LONGEST_INTERVAL_MS] = [250, 30_000];
/** The shorter the age limit, the more often it is checked. */
const intervalFor = (maxAgeMs: number) =>
  Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, maxAgeMs / 10));
const BATCH = 500;
/** A mail that loses its star may now be deleted. */
const isUnstarred = (change: StoreChange) =>
  change.kind === "changed" &&
  change.fields.includes("is_starred") &&
  change.messages.some(({ is_starred }) => !is_starred);

export class Retention {
  readonly #options: RetentionOptions;
  readonly #unsubscribe: () => void;
  readonly #timer: Timer | null;
  /** The leader applies the limits after any new mail, other nodes only after mail that they received themselves. */
  #leads = false;
  #stopped = false;
  #newest: string | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
    const { maxAgeMs } = options;
    this.#unsubscribe = options.store.onChange((change) => {
      if (!this.isBounded) return;
      if (change.kind === "added") this.#newest = change.message.id;
      if (this.#leads && (change.kind === "added" || isUnstarred(change))) void this.applyLimits();
    });
    this.#timer =
      maxAgeMs === undefined
        ? null
        : setInterval(() => this.#leads && void this.applyLimits(), intervalFor(maxAgeMs));
    this.#timer?.unref();
  }

  lead(isLeader: boolean): void {
    this.#leads = isLeader;
    if (isLeader) void this.applyLimits();
  }

  /**
   * Whether the number or total size of mails is limited. If so, a new mail is acknowledged only
   * after the limits have been applied.
   */
  get isBounded(): boolean {
    return this.#options.maxMessages !== undefined || this.#options.maxBytes !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
    // Only waits for a run that is under way.
    await this.applyLimits();
  }

  /** Deletes mail until the limits hold. A failure is logged, and then the limits may not hold. */
  readonly applyLimits = coalesced(async () => {
    if (this.#stopped) return;
    try {
      await this.#removeOld();
      await this.#removeSurplus();
    } catch (error) {
      this.#options.logger.error("retention failed", { error: String(error) });
    }
  });

  async #removeOld(): Promise<void> {
    const { store, maxAgeMs, now, includeStarred } = this.#options;
    if (maxAgeMs === undefined) return;
    const before = new Date(now().getTime() - maxAgeMs);
    while (!this.#stopped) {
      const old = await store.oldest({ keepStarred: !includeStarred, before, limit: BATCH });
      await this.#remove(old.map(({ id }) => id));
      if (old.length < BATCH) return;
    }
  }

  async #removeSurplus(): Promise<void> {
    const {
      store,
      maxMessages = Number.POSITIVE_INFINITY,
      maxBytes = Number.POSITIVE_INFINITY,
    } = this.#options;
    while (!this.#stopped) {
      const { messages, message_bytes } = await store.stats();
      let surplus = messages - maxMessages;
      let bytes = message_bytes - maxBytes;
      if (surplus <= 0 && bytes <= 0) return;
      this.#newest ??= (await store.list({ filter: {}, limit: 1 })).messages[0]?.id ?? null;
      const due: string[] = [];
      for (const { id, size } of await store.oldest({
        keepStarred: !this.#options.includeStarred,
        limit: BATCH,
      })) {
        if ((surplus <= 0 && bytes <= 0) || id === this.#newest) break;
        due.push(id);
        surplus--;
        bytes -= size;
      }
      // Only starred mail and the newest mail are left. They stay, even if they exceed the limits.
      if (due.length === 0) return;
      await this.#remove(due);
    }
  }

  async #remove(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const removed = await this.#options.store.delete(ids);
    this.#options.logger.debug("retention removed mail", { messages: removed.length });
  }
}
