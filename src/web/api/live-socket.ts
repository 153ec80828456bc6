// The event stream. It reconnects with a growing delay and asks for missed events. If the server no
// longer has them, or the number of an event is skipped, everything is fetched again.
import type { InboxEvent } from "../../model/index.ts";
import { HOME } from "./address.ts";
import { apiUrl } from "./client.ts";
import { isOwnRemoved } from "./routes.ts";

export type LiveState = "connecting" | "live" | "reconnecting";
export type NumberedEvent = InboxEvent & { readonly seq?: number };

export interface LiveHandlers {
  readonly onState: (state: LiveState) => void;
  readonly onEvent: (event: NumberedEvent) => void;
  readonly onFailed: () => void;
  readonly onGap: () => void;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
const TOO_SLOW = 1013;
const INBOX_REMOVED = 4004;
/** Mailkeep's own close codes begin here. After any of them, everything is fetched again. */
const OWN_CODES = 4000;

/** The delay doubles, up to a limit. `chance` (0 to 1) keeps pages from reconnecting together. */
export function reconnectDelay(failures: number, chance = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS) * (0.8 + chance * 0.4);
}

/** With PostgreSQL each record's events begin at a multiple of this number, as in the server's history.ts. */
const PER_RECORD = 2048;

export const isGap = (last: number, next: number) => next !== last + 1 && next % PER_RECORD !== 0;

export class LiveSocket {
  readonly #handlers: LiveHandlers;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seq: number | undefined;
  #failures = 0;

  /** `seq`: the number of the last event that the page knows. */
  constructor(handlers: LiveHandlers, seq: number | undefined) {
    this.#handlers = handlers;
    this.#seq = seq;
  }

  connect(): void {
    clearTimeout(this.#timer);
    this.#handlers.onState(this.#failures === 0 ? "connecting" : "reconnecting");
    const socket = new WebSocket(this.#address());
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as NumberedEvent);
    socket.onclose = ({ code }) => {
      if (socket === this.#socket) this.#lost(code);
    };
    socket.onopen = () => {
      const hasGap = this.#seq === undefined;
      this.#failures = 0;
      this.#handlers.onState("live");
      if (hasGap) this.#handlers.onGap();
    };
  }

  retryNow(): void {
    if (this.#socket?.readyState === WebSocket.OPEN || this.#socket?.readyState === WebSocket.CONNECTING)
      return;
    this.connect();
  }

  #address(): string {
    const url = new URL(apiUrl("/ws"), location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("resume", "true");
    url.searchParams.set("include", "preview");
    if (this.#seq !== undefined) url.searchParams.set("since", String(this.#seq));
    return url.href;
  }

  #receive(event: NumberedEvent): void {
    const { seq } = event;
    const hasGap = seq !== undefined && this.#seq !== undefined && isGap(this.#seq, seq);
    if (seq !== undefined) this.#seq = seq;
    this.#handlers.onEvent(event);
    if (hasGap) this.#handlers.onGap();
  }

  #lost(code: number): void {
    // If the inbox was not removed on this page, the reloaded page says that it does not exist.
    if (code === INBOX_REMOVED) isOwnRemoved() ? location.replace(HOME) : location.reload();
    if (code === TOO_SLOW || code >= OWN_CODES) this.#seq = undefined;
    this.#failures++;
    this.#handlers.onState("reconnecting");
    if (this.#failures > 1) this.#handlers.onFailed();
    this.#timer = setTimeout(() => this.connect(), reconnectDelay(this.#failures));
  }
}
