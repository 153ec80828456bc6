// WebSocket connections: one stream of events for each scope, with its own numbers, so that gaps do not reveal what
// others get.
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { EventSource } from "../../events/index.ts";
import { LONGEST_TIMER_MS } from "../../lib/duration.ts";
import type { InboxEvent } from "../../model/index.ts";
import type { Scope } from "../../store/index.ts";
import { callerOf } from "../caller.ts";
import { Problem } from "../problem.ts";
import {
  type Client,
  type ClientData,
  EventStream,
  type EventStreamOptions,
  INBOX_REMOVED,
} from "./event-stream.ts";

export interface EventStreamsOptions extends Omit<EventStreamOptions, "bus" | "topic"> {
  readonly events: (scope: Scope) => EventSource<InboxEvent>;
  /** Aborts when the one inbox in the scope is removed. */
  readonly removalOf: (scope: Scope) => AbortSignal | undefined;
  /** Tells which token has ended, or is for other inboxes now. */
  readonly onTokenChange: (listener: (id: string) => void) => void;
  readonly maxClients: number;
}

const IDLE_TIMEOUT_SECONDS = 30;
const MAX_CLIENT_FRAME_BYTES = 16 * 1024;
/** Above this number unused streams are dropped; their clients must reload when they return. */
const MAX_STREAMS = 200;

/** RFC 6455, 4.2.2: the answer to an unsupported version names the supported one. */
const WEBSOCKET_VERSION = "13";
const upgradeRequired = (code: string, message: string) =>
  new Problem(426, code, message, {
    upgrade: "websocket",
    connection: "upgrade",
    "sec-websocket-version": WEBSOCKET_VERSION,
  });
export const NO_HANDSHAKE = upgradeRequired("upgrade_required", "This path speaks WebSocket only.");
const OTHER_VERSION = upgradeRequired(
  "unsupported_websocket_version",
  `Only version ${WEBSOCKET_VERSION} of the WebSocket protocol is spoken here.`,
);

export const TOO_MANY_CLIENTS = new Problem(
  503,
  "too_many_websockets",
  "The maximum number of WebSocket clients is connected.",
  { "retry-after": "5" },
);

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Map<string, EventStream>();
  /** Clients that came with a token, and the timer of its end. */
  readonly #withToken = new Map<Client, Timer | undefined>();
  #server: Server<ClientData> | null = null;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    // From the start, so that a client that asks for the number of the last event can resume with it.
    this.of(null);
    options.onTokenChange((id) => {
      for (const client of this.#withToken.keys()) if (client.data.token?.id === id) endToken(client);
    });
  }

  readonly handlers: WebSocketHandler<ClientData> = {
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPings: true,
    maxPayloadLength: MAX_CLIENT_FRAME_BYTES,
    // Our own limit closes a slow client with a reason long before this one drops frames.
    backpressureLimit: 1024 * 1024 * 1024,
    closeOnBackpressureLimit: true,
    open: (client) => {
      this.#watchToken(client);
      streamOf(client).opened(client);
    },
    message: () => {},
    drain: (client) => streamOf(client).drained(client),
    close: (client) => {
      clearTimeout(this.#withToken.get(client));
      this.#withToken.delete(client);
      streamOf(client).closed(client);
    },
  };

  /** The clients of all streams. */
  get clientCount(): number {
    return [...this.#streams.values()].reduce((sum, { clientCount }) => sum + clientCount, 0);
  }

  of(scope: Scope): EventStream {
    const key = scope === null ? "" : JSON.stringify([...scope].sort());
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    this.#forgetIdle();
    const stream = new EventStream({
      ...this.#options,
      bus: this.#options.events(scope),
      topic: `events ${key}`,
    });
    if (this.#server !== null) stream.attach(this.#server);
    this.#streams.set(key, stream);
    // Clients of this inbox must not get events of the next inbox of that name, nor the other way round.
    this.#options.removalOf(scope)?.addEventListener("abort", () => {
      stream.close(INBOX_REMOVED);
      if (this.#streams.get(key) === stream) this.#streams.delete(key);
    });
    return stream;
  }

  /** A client that comes from another node may be ahead of this one. */
  async catchUp(): Promise<void> {
    if (this.#options.store.position !== null) await this.#options.store.refresh();
  }

  attach(server: Server<ClientData>): void {
    this.#server = server;
    for (const stream of this.#streams.values()) stream.attach(server);
  }

  /** Throws when the request cannot become a WebSocket; otherwise it has become one. */
  upgrade(
    request: Request,
    scope: Scope,
    wanted: Omit<ClientData, "stream" | "token">,
    server: Server<ClientData> | null = this.#server,
  ): void {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw NO_HANDSHAKE;
    // Bun would answer this with a bare 426 of its own.
    if (request.headers.get("sec-websocket-version") !== WEBSOCKET_VERSION) throw OTHER_VERSION;
    const connected = [...this.#streams.values()].reduce((sum, { openClients }) => sum + openClients, 0);
    if (connected >= this.#options.maxClients) throw TOO_MANY_CLIENTS;
    const { token } = callerOf(request);
    if (!server?.upgrade(request, { data: { ...wanted, token, stream: this.of(scope) } })) {
      throw new Problem(400, "invalid_handshake", "The WebSocket handshake is malformed.");
    }
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close();
  }

  /** They may come back at once, to another server. */
  sendAway(): void {
    for (const stream of this.#streams.values()) stream.sendAway();
  }

  #watchToken(client: Client): void {
    const { token } = client.data;
    if (token === undefined) return;
    const ms =
      token.expires_at === null ? null : Date.parse(token.expires_at) - this.#options.now().getTime();
    const timer = ms === null ? undefined : setTimeout(endToken, Math.min(ms, LONGEST_TIMER_MS), client);
    this.#withToken.set(client, timer);
  }

  #forgetIdle(): void {
    if (this.#streams.size < MAX_STREAMS) return;
    for (const [key, stream] of this.#streams) {
      if (key === "" || stream.openClients > 0) continue;
      stream.close();
      this.#streams.delete(key);
    }
  }
}

/** Whose token is still good comes back with it. */
const endToken = (client: Client) => client.close(4003, "the token has ended or changed: connect again");

const streamOf = (client: ServerWebSocket<ClientData>): EventStream => client.data.stream;
