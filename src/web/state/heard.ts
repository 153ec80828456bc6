// What was heard while the server was asked for a list. An answer may be older than an event that overtook it, so
// what came since the question counts more than the answer.
import type { InboxEvent, MessageSummary } from "../../model/index.ts";

/** What a run of events amounts to. */
export interface Heard {
  readonly isCleared: boolean;
  readonly fresh: ReadonlyMap<string, MessageSummary>;
  /** Of mail that was there before. */
  readonly changed: ReadonlyMap<string, Partial<MessageSummary>>;
  readonly gone: ReadonlySet<string>;
}

interface Question {
  readonly askedAt: number;
}

const underWay = new Set<Question>();
let overtaking: { readonly at: number; readonly events: readonly InboxEvent[] }[] = [];

/** Asks, and keeps what is heard until the answer is there and was used, which is before the next event. */
export async function whileHearing<T>(ask: (askedAt: number) => Promise<T>): Promise<T> {
  const question = { askedAt: performance.now() };
  underWay.add(question);
  try {
    return await ask(question.askedAt);
  } finally {
    underWay.delete(question);
  }
}

export function noteHeard(events: readonly InboxEvent[]): void {
  const oldest = Math.min(...[...underWay].map(({ askedAt }) => askedAt));
  overtaking = overtaking.filter(({ at }) => at >= oldest);
  if (underWay.size > 0) overtaking.push({ at: performance.now(), events });
}

export function heardSince(askedAt: number): Heard {
  return sumUp(overtaking.filter(({ at }) => at >= askedAt).flatMap(({ events }) => events));
}

/** Mail may be changed, or deleted, in the moment it arrives. */
export function sumUp(events: readonly InboxEvent[]): Heard {
  let isCleared = false;
  const fresh = new Map<string, MessageSummary>();
  const changed = new Map<string, Partial<MessageSummary>>();
  const gone = new Set<string>();
  for (const event of events) {
    if (event.type === "messages:clear") {
      isCleared = true;
      for (const known of [fresh, changed, gone]) known.clear();
      continue;
    }
    const { id } = event.data;
    if (event.type === "message:new") fresh.set(id, event.data);
    else if (event.type === "message:delete") {
      fresh.delete(id);
      changed.delete(id);
      gone.add(id);
    } else {
      const { id: _, ...change } = event.data;
      const arriving = fresh.get(id);
      if (arriving) fresh.set(id, { ...arriving, ...change });
      else changed.set(id, { ...changed.get(id), ...change });
    }
  }
  return { isCleared, fresh, changed, gone };
}
