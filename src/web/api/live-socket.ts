// The event stream, kept alive: reconnects with a growing delay and asks for what it missed.
// A connection that begins after others without anything to resume from means: fetch everything anew.
import type { InboxEvent } from "../../model/index.ts";
import { apiUrl } from "./client.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

export type LiveState = "connecting" | "live" | "reconnecting";

export interface LiveHandlers {
  readonly onState: (state: LiveState) => void;
  readonly onEvent: (event: InboxEvent) => void;
  /** Another try has failed. */
  readonly onFailed: () => void;
  /** What is shown may be stale: fetch it again. */
  readonly onReload: () => void;
}

/** The server has given up on a client that reads too slowly. */
const TOO_SLOW = 1013;
/** From here on the codes are Mailkeep's own: the server no longer has what was missed. */
const OWN_CODES = 4000;

export class LiveSocket {
  readonly #handlers: LiveHandlers;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seq: number | undefined;
  #failures = 0;

  constructor(handlers: LiveHandlers) {
    this.#handlers = handlers;
  }

  connect(): void {
    clearTimeout(this.#timer);
    this.#handlers.onState(this.#failures === 0 ? "connecting" : "reconnecting");
    const socket = new WebSocket(this.#address());
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code }) => {
      if (socket === this.#socket) this.#lost(code);
    };
    socket.onopen = () => {
      const resumed = this.#seq !== undefined;
      const isFirst = this.#failures === 0;
      this.#failures = 0;
      this.#handlers.onState("live");
      if (!resumed && !isFirst) this.#handlers.onReload();
    };
  }

  /** Tries at once instead of waiting, for instance when the browser is online again. */
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

  #receive(data: string): void {
    const { seq, ...event } = JSON.parse(data) as InboxEvent & { seq?: number };
    if (seq !== undefined) this.#seq = seq;
    this.#handlers.onEvent(event as InboxEvent);
  }

  #lost(code: number): void {
    // Nothing to resume from: the next connection has everything fetched anew.
    if (code === TOO_SLOW || code >= OWN_CODES) this.#seq = undefined;
    this.#failures++;
    this.#handlers.onState("reconnecting");
    if (this.#failures > 1) this.#handlers.onFailed();
    this.#timer = setTimeout(() => this.connect(), reconnectDelay(this.#failures));
  }
}
