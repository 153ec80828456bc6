// The event stream: its address, the numbers of its events, and when to try again.
import type { InboxEvent } from "../../model/index.ts";
import { apiUrl } from "./client.ts";

export type NumberedEvent = InboxEvent & { readonly seq?: number };

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;

/** The delay doubles, up to a limit. `chance` (0 to 1) keeps pages from reconnecting together. */
export function reconnectDelay(failures: number, chance = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS) * (0.8 + chance * 0.4);
}

/** With PostgreSQL each record's events begin at a multiple of this number, as in the server's history.ts. */
const PER_RECORD = 2048;

export const isGap = (last: number, next: number) => next !== last + 1 && next % PER_RECORD !== 0;

/** `since`: the number of the last known event. The stream begins with the events after it. */
export function openEvents(since: number | undefined): WebSocket {
  const url = new URL(apiUrl("/ws"), location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("resume", "true");
  url.searchParams.set("include", "preview");
  if (since !== undefined) url.searchParams.set("since", String(since));
  return new WebSocket(url);
}
