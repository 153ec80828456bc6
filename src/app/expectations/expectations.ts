// What a test expects of the mailbox: a count that holds, a mail that arrives. Waiters are woken by events;
// while nothing happens they cost nothing, and one whose client hangs up is forgotten.
import type { EventSource } from "../../events/index.ts";
import type { InboxEvent, MessageFilter, NearMiss } from "../../model/index.ts";
import type { MailView } from "../../store/index.ts";
import { askedOfStore, mayAdd, missedFilters } from "./filter-match.ts";
import { type Begin, wait, watch, within } from "./waiting.ts";

interface Mailbox {
  readonly store: MailView;
  readonly bus: EventSource<InboxEvent>;
  /** Each is aborted when the caller may no longer see this mail. */
  readonly endings?: readonly (AbortSignal | undefined)[];
}

export interface CountExpectation {
  readonly filter: MessageFilter;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Time for the count to become true. Without it the answer comes at once. */
  readonly timeoutMs?: number | undefined;
  /** How long the count must stay true. */
  readonly settleMs?: number | undefined;
}

export interface CountOutcome {
  readonly ok: boolean;
  readonly count: number;
  /** Only when there was something to wait for. */
  readonly waitedMs?: number;
  readonly nearMisses?: NearMiss[];
}

export type ArrivalOutcome =
  | { readonly id: string; readonly waitedMs: number }
  | { readonly id: null; readonly waitedMs: number; readonly nearMisses: NearMiss[] };

export interface ExpectationsOptions extends Mailbox {
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
}

export class Expectations {
  readonly #options: ExpectationsOptions;
  readonly #closing: AbortController;

  constructor(options: ExpectationsOptions, closing = new AbortController()) {
    this.#options = options;
    this.#closing = closing;
  }

  /** The same expectations, limited to some inboxes. */
  of(mailbox: Mailbox): Expectations {
    return new Expectations({ ...this.#options, ...mailbox }, this.#closing);
  }

  /** Ends every wait. */
  close(): void {
    this.#closing.abort();
  }

  async count(expectation: CountExpectation, signal: AbortSignal): Promise<CountOutcome> {
    const { store, clock } = this.#options;
    const { filter, min = 0, max = Number.POSITIVE_INFINITY, timeoutMs, settleMs } = expectation;
    const holds = (count: number) => count >= min && count <= max;
    if (timeoutMs === undefined && settleMs === undefined) {
      const count = await store.count(filter);
      return { ok: holds(count), count };
    }
    const started = clock();
    const counted = await wait(
      this.#endings(signal),
      holdingCount(this.#options, {
        filter,
        holds,
        // If min is above max, no count can be right, so do not wait.
        timeoutMs: min > max ? 0 : (timeoutMs ?? 0),
        settleMs: settleMs ?? 0,
      }),
    );
    const outcome = { ...counted, waitedMs: Math.round(clock() - started) };
    return counted.ok ? outcome : { ...outcome, nearMisses: await findNearMisses(store, filter) };
  }

  /** The oldest message that matches, as soon as there is one. */
  async arrival(filter: MessageFilter, timeoutMs: number, signal: AbortSignal): Promise<ArrivalOutcome> {
    const { store, clock } = this.#options;
    const started = clock();
    const id = await wait(
      this.#endings(signal),
      within(timeoutMs, () => oldest(store, filter), arrivalOf(this.#options, filter)),
    );
    const waitedMs = Math.round(clock() - started);
    return id === null ? { id, waitedMs, nearMisses: await findNearMisses(store, filter) } : { id, waitedMs };
  }

  #endings(signal: AbortSignal): AbortSignal[] {
    const { endings = [] } = this.#options;
    return [signal, this.#closing.signal, ...endings].filter((one) => one !== undefined);
  }
}

/** Asks the store again whenever a mail arrives that may match. */
const arrivalOf =
  ({ store, bus }: Mailbox, filter: MessageFilter): Begin<string | null> =>
  (done, fail) =>
    watch({
      bus,
      concerns: (event) => mayAdd(event, filter),
      evaluate: async () => {
        const found = await oldest(store, filter);
        if (found !== null) done(found);
      },
      onError: fail,
    });

async function oldest(store: MailView, filter: MessageFilter): Promise<string | null> {
  const [id] = await store.walk(filter, { limit: 1 });
  return id ?? null;
}

interface Counted {
  readonly ok: boolean;
  readonly count: number;
}

interface HoldingOptions {
  readonly filter: MessageFilter;
  readonly holds: (count: number) => boolean;
  /** Time for the count to become true. Settling may take longer than this. */
  readonly timeoutMs: number;
  readonly settleMs: number;
}

/** Watches until a count is true, and stays true for as long as asked. */
const holdingCount =
  ({ store, bus }: Mailbox, { filter, holds, timeoutMs, settleMs }: HoldingOptions): Begin<Counted> =>
  (done, fail) => {
    let isLate = false;
    let settling: Timer | undefined;
    const evaluate = async () => {
      const count = await store.count(filter);
      if (!holds(count)) broken(count);
      else if (settleMs === 0) done({ ok: true, count });
      else settling ??= setTimeout(() => void lastLook().catch(fail), settleMs);
    };
    /** Mail that came while it settled may not have been counted yet. */
    const lastLook = async () => {
      const mine = settling;
      const count = await store.count(filter);
      if (settling !== mine) return;
      if (holds(count)) done({ ok: true, count });
      else broken(count);
    };
    const broken = (count: number) => {
      clearTimeout(settling);
      settling = undefined;
      if (isLate) done({ ok: false, count });
    };
    const unwatch = watch({
      bus,
      concerns: (event) => mayChangeCount(event, filter),
      evaluate,
      onError: fail,
    });
    const late = setTimeout(() => {
      isLate = true;
      if (settling === undefined) evaluate().catch(fail);
    }, timeoutMs);
    return () => {
      clearTimeout(late);
      clearTimeout(settling);
      unwatch();
    };
  };

const mayChangeCount = (event: InboxEvent, filter: MessageFilter) =>
  event.type === "message:delete" || event.type === "messages:clear" || mayAdd(event, filter);

const MAX_NEAR_MISSES = 5;
const MAX_LOOKED_AT = 50;

/** For the person who reads the CI log: the newest mails that did not match, and by which filter they missed. */
async function findNearMisses(store: MailView, filter: MessageFilter): Promise<NearMiss[]> {
  const { messages } = await store.list({ filter: {}, limit: MAX_LOOKED_AT });
  const found = new Map<string, ReadonlySet<string>>();
  for (const [name, alone] of askedOfStore(filter)) found.set(name, await idsFoundBy(store, alone));
  const misses: NearMiss[] = [];
  for (const message of messages) {
    const missed = [...found].filter(([, ids]) => !ids.has(message.id)).map(([name]) => name);
    const missed_by = [...missed, ...missedFilters(message, filter)];
    if (missed_by.length > 0) misses.push({ message, missed_by });
    if (misses.length === MAX_NEAR_MISSES) break;
  }
  return misses;
}

async function idsFoundBy(store: MailView, filter: MessageFilter): Promise<ReadonlySet<string>> {
  const { messages } = await store.list({ filter, limit: MAX_LOOKED_AT });
  return new Set(messages.map(({ id }) => id));
}
