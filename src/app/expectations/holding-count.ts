// Watches until a count holds, and goes on holding for as long as asked.
import type { InboxEvent, MessageFilter } from "../../model/index.ts";
import type { Mailbox } from "./arrival.ts";
import { mayAdd } from "./filter-match.ts";
import type { Begin } from "./wait.ts";
import { watch } from "./watch.ts";

export interface Counted {
  readonly ok: boolean;
  readonly count: number;
}

export interface HoldingOptions {
  readonly filter: MessageFilter;
  readonly holds: (count: number) => boolean;
  /** For the count to begin to hold; once it does, it may settle beyond. */
  readonly timeoutMs: number;
  readonly settleMs: number;
}

export const holdingCount =
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
    /** What came while it settled may not have been counted yet. */
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
