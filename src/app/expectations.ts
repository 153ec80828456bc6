// What a test expects of the mailbox: a number of mails, or a mail that arrives. Events wake waiting requests.
import type { InboxEvent, MessageFilter, MessageSummary, NearMiss } from "../model/index.ts";
import { foldCase } from "../query/index.ts";
import type { MailView } from "../store/index.ts";
import { onEvent } from "./events.ts";

/** The server stops, or the client hung up. */
export class WaitAbandonedError extends Error {
  override readonly name = "WaitAbandonedError";
  override readonly message = "The wait was cancelled.";
}

/** The inbox was removed. Mail in a new inbox with the same name is not for this caller. */
export class InboxRemovedError extends Error {
  override readonly name = "InboxRemovedError";
  constructor(readonly inbox: string) {
    super(`The inbox ${inbox} was removed.`);
  }
}

/** The token or session of the caller has ended or was changed. */
export class AccessEndedError extends Error {
  override readonly name = "AccessEndedError";
  override readonly message = "The credentials are not valid any more.";
}

const endedBy = ({ reason }: AbortSignal) =>
  reason instanceof InboxRemovedError || reason instanceof AccessEndedError
    ? reason
    : new WaitAbandonedError();

interface Mailbox {
  readonly store: MailView;
  /** Signals that end all waits: the server stops, or the caller may no longer see the mail of `store`. */
  readonly endings?: readonly (AbortSignal | undefined)[];
}

export interface CountExpectation {
  readonly filter: MessageFilter;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** How long the count may take to reach the range from `min` to `max`; 0 by default. */
  readonly timeoutMs?: number | undefined;
  /** How long the count must then stay between `min` and `max`. */
  readonly settleMs?: number | undefined;
}

interface CountOutcome {
  readonly ok: boolean;
  readonly count: number;
  /** Missing if neither `timeoutMs` nor `settleMs` was given. */
  readonly waitedMs?: number;
  readonly nearMisses?: NearMiss[];
}

interface Sought<Found> {
  readonly look: () => Promise<Found>;
  readonly holds: (found: Found) => boolean;
  /** Whether this event may change the answer. */
  readonly concerns: (event: InboxEvent) => boolean;
  readonly timeoutMs: number;
  readonly settleMs?: number | undefined;
}

export class Expectations {
  readonly #mailbox: Mailbox;

  constructor(mailbox: Mailbox) {
    this.#mailbox = mailbox;
  }

  async count(expectation: CountExpectation, signal: AbortSignal): Promise<CountOutcome> {
    const { store } = this.#mailbox;
    const { filter, min = 0, max = Number.POSITIVE_INFINITY, timeoutMs, settleMs } = expectation;
    const holds = (count: number) => count >= min && count <= max;
    if (timeoutMs === undefined && settleMs === undefined) {
      const count = await store.count(filter);
      return { ok: holds(count), count };
    }
    const { ok, found, waitedMs } = await this.#wait(signal, {
      look: () => store.count(filter),
      holds,
      concerns: (event) =>
        event.type === "message:delete" || event.type === "messages:clear" || mayAdd(event, filter),
      // If min is above max, no count can be right, so do not wait.
      timeoutMs: min > max ? 0 : (timeoutMs ?? 0),
      settleMs,
    });
    const outcome = { ok, count: found, waitedMs };
    return ok ? outcome : { ...outcome, nearMisses: await findNearMisses(store, filter) };
  }

  /** The oldest message that matches, as soon as there is one; if none comes in time, `id` is null. */
  async arrival(filter: MessageFilter, timeoutMs: number, signal: AbortSignal) {
    const { store } = this.#mailbox;
    const { found: id, waitedMs } = await this.#wait(signal, {
      look: async () => (await store.walk(filter, { limit: 1 }))[0] ?? null,
      holds: (oldest) => oldest !== null,
      concerns: (event) => mayAdd(event, filter),
      timeoutMs,
    });
    return id === null ? { id, waitedMs, nearMisses: await findNearMisses(store, filter) } : { id, waitedMs };
  }

  /** Looks at once, after each event that may change the answer, and when the time is over. */
  async #wait<Found>(signal: AbortSignal, sought: Sought<Found>) {
    const { look, holds, concerns, timeoutMs, settleMs = 0 } = sought;
    const { store, endings = [] } = this.#mailbox;
    const signals = [signal, ...endings].filter((one) => one !== undefined);
    const started = performance.now();
    let heldSince: number | null = null;
    let wake = Promise.withResolvers<void>();
    let timer: Timer | undefined;
    const wakeUp = () => wake.resolve();
    const unsubscribe = onEvent(store, (event) => {
      if (concerns(event)) wakeUp();
    });
    for (const one of signals) one.addEventListener("abort", wakeUp);
    try {
      for (;;) {
        const ended = signals.find(({ aborted }) => aborted);
        if (ended !== undefined) throw endedBy(ended);
        // A look may miss mail that arrives during it, so the last look must begin after the time is over.
        const at = performance.now();
        wake = Promise.withResolvers();
        const found = await look();
        if (signals.some(({ aborted }) => aborted)) continue;
        const ok = holds(found);
        heldSince = ok ? (heldSince ?? at) : null;
        const due = heldSince === null ? started + timeoutMs : heldSince + settleMs;
        if (at >= due) return { ok, found, waitedMs: Math.round(performance.now() - started) };
        timer = setTimeout(wakeUp, Math.max(0, due - performance.now()));
        await wake.promise;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
      unsubscribe();
      for (const one of signals) one.removeEventListener("abort", wakeUp);
    }
  }
}

const MAX_NEAR_MISSES = 5;
const MAX_LOOKED_AT = 50;

/** Explains a failure in the CI log: the newest mails that did not match, and the filters that they missed. */
async function findNearMisses(store: MailView, filter: MessageFilter): Promise<NearMiss[]> {
  const { messages } = await store.list({ filter: {}, limit: MAX_LOOKED_AT });
  const found: [name: string, ids: ReadonlySet<string>][] = [];
  for (const [name, value] of Object.entries(filter)) {
    // The query parameter of tags is called tag.
    found.push([name === "tags" ? "tag" : name, await idsFoundBy(store, { [name]: value })]);
  }
  return messages
    .map((message) => ({
      message,
      missed_by: found.filter(([, ids]) => !ids.has(message.id)).map(([name]) => name),
    }))
    .filter(({ missed_by }) => missed_by.length > 0)
    .slice(0, MAX_NEAR_MISSES);
}

async function idsFoundBy(store: MailView, filter: MessageFilter): Promise<ReadonlySet<string>> {
  const { messages } = await store.list({ filter, limit: MAX_LOOKED_AT });
  return new Set(messages.map(({ id }) => id));
}

/**
 * False if a new mail cannot match. Only the store can tell exactly whether it matches, but asking
 * the store about each mail for each wait would be slow.
 */
export function mayMatch(
  message: MessageSummary,
  { subject = "", sender = "", recipient = "", from, to }: MessageFilter,
): boolean {
  const contains = (text: string, part: string) => part === "" || foldCase(text).includes(foldCase(part));
  const isSame = (address: string, wanted: string) => foldCase(address) === foldCase(wanted);
  return (
    contains(message.subject, subject) &&
    contains(message.sender, sender) &&
    (recipient === "" || message.recipients.some((one) => contains(one, recipient))) &&
    (from === undefined || isSame(message.sender, from)) &&
    (to === undefined || message.recipients.some((one) => isSame(one, to)))
  );
}

/** Whether this event may make a message match that did not match before. */
function mayAdd(event: InboxEvent, filter: MessageFilter): boolean {
  if (event.type === "message:new") return mayMatch(event.data, filter);
  const isFlag =
    event.type === "message:read" || event.type === "message:starred" || event.type === "message:tags";
  return isFlag && dependsOnFlags(filter);
}

/** A search may contain flags: `is:` and `tag:`. */
const dependsOnFlags = ({ q, starred, unread, tags }: MessageFilter) =>
  Boolean(q || starred || unread || tags?.length);
