// WebSocket connections: one stream of events for each scope. On a single node each stream has its own numbers, because
// shared numbers would have gaps that reveal the events of others.
import type { Server, WebSocketHandler } from "bun";
import type { MessageReader } from "../../app/index.ts";
import { InboxEvent, type MessagePreview } from "../../model/index.ts";
import type { Scope, Store } from "../../store/index.ts";
import { callerOf, scopeOf } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { problem } from "../openapi/responses.ts";
import { boolean, choice, integer, invalid, query, withDefault } from "../parameters.ts";
import { Problem } from "../problem.ts";
import {
  type ClientData,
  EventStream,
  type EventStreamOptions,
  INBOX_REMOVED,
  type WantedStream,
} from "./event-stream.ts";
import type { NumberedEvent } from "./history.ts";

export interface EventStreamsOptions extends Omit<EventStreamOptions, "mail"> {
  readonly store: Pick<Store, "position" | "refresh" | "within">;
  /** Aborts when the inbox of the scope is removed. Undefined unless the scope is exactly one inbox. */
  readonly removalOf: (scope: Scope) => AbortSignal | undefined;
  readonly maxClients: number;
  readonly serverOf: (request: Request) => Server<ClientData> | undefined;
}

const IDLE_TIMEOUT_SECONDS = 30;
const MAX_CLIENT_FRAME_BYTES = 16 * 1024;
/**
 * Once there are this many streams, those without clients are closed, except the stream of all mail. A client that
 * returns later must reload.
 */
const MAX_STREAMS = 200;
const ACCESS_ENDED = { code: 4003, reason: "the credentials expired or changed: connect again" };

/** RFC 6455, 4.2.2: the answer to an unsupported version names the supported one. */
const WEBSOCKET_VERSION = "13";
const SENTENCE = `This path speaks only version ${WEBSOCKET_VERSION} of the WebSocket protocol.`;
const NO_HANDSHAKE = new Problem(426, "upgrade_required", SENTENCE, {
  Upgrade: "websocket",
  Connection: "upgrade",
  "Sec-WebSocket-Version": WEBSOCKET_VERSION,
});

const TOO_MANY_CLIENTS = new Problem(
  503,
  "too_many_websockets",
  "Too many WebSocket clients are connected; --max-websockets sets the limit.",
  { "Retry-After": "5" },
);

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Map<string, EventStream>();

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    // The stream of all mail exists from the start, so its numbers cover all events since then.
    this.of(null);
  }

  readonly handlers: WebSocketHandler<ClientData> = {
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPings: true,
    maxPayloadLength: MAX_CLIENT_FRAME_BYTES,
    // Bun drops frames beyond this limit. EventStream stops sending to a client long before.
    backpressureLimit: 1024 * 1024 * 1024,
    open: (client) => {
      const { ended, left, stream } = client.data;
      const end = () => client.close(ACCESS_ENDED.code, ACCESS_ENDED.reason);
      ended?.addEventListener("abort", end, { signal: left.signal });
      // `end` runs the close handler below at once. If `opened` ran after it, nothing would remove this client again.
      if (ended?.aborted) end();
      else stream.opened(client);
    },
    message: () => {},
    drain: (client) => void client.data.stream.sendOn(client),
    close: (client) => {
      client.data.left.abort();
      client.data.stream.closed(client);
    },
  };

  get clientCount(): number {
    return [...this.#streams.values()].reduce((sum, { clientCount }) => sum + clientCount, 0);
  }

  of(scope: Scope): EventStream {
    const key = scope === null ? "" : JSON.stringify([...scope].sort());
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    this.#forgetIdle();
    const stream = new EventStream({ ...this.#options, mail: this.#options.store.within(scope) });
    this.#streams.set(key, stream);
    // If the scope is one inbox, its clients must not get events of a new inbox with the same name.
    this.#options.removalOf(scope)?.addEventListener("abort", () => {
      stream.close(INBOX_REMOVED);
      if (this.#streams.get(key) === stream) this.#streams.delete(key);
    });
    return stream;
  }

  async upgrade(request: Request, wanted: WantedStream): Promise<void> {
    const { store, maxClients, serverOf } = this.#options;
    // A client that comes from another node may know newer events than this node does.
    if (wanted.since !== undefined && store.position !== null) await store.refresh();
    const { headers } = request;
    // Bun would answer another version with an empty 426.
    const isKnown = headers.get("sec-websocket-version") === WEBSOCKET_VERSION;
    if (headers.get("upgrade")?.toLowerCase() !== "websocket" || !isKnown) throw NO_HANDSHAKE;
    if (this.clientCount >= maxClients) throw TOO_MANY_CLIENTS;
    const { ended } = callerOf(request);
    const stream = this.of(scopeOf(request));
    const data = { ...wanted, stream, ended, left: new AbortController(), position: 0, isBusy: false };
    if (!serverOf(request)?.upgrade(request, { data }))
      throw new Problem(400, "invalid_handshake", "The WebSocket handshake is malformed.");
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close();
  }

  sendAway(): void {
    for (const stream of this.#streams.values()) stream.sendAway();
  }

  #forgetIdle(): void {
    if (this.#streams.size < MAX_STREAMS) return;
    for (const [key, stream] of this.#streams) {
      if (key === "" || stream.clientCount > 0) continue;
      stream.close();
      this.#streams.delete(key);
    }
  }
}

interface EventParts {
  readonly events: EventStreams;
  readonly reader: MessageReader;
}

export function events({ events, reader }: EventParts) {
  return routes(
    "Events",
    route("streamEvents", "GET /api/v1/ws", "read", {
      summary: "Inbox events over a WebSocket",
      description: [
        "The server sends JSON text frames, each an `InboxEvent`: exactly `type` and, except for `messages:clear`, `data`.",
        "The order of the frames is the order of the changes. Clients need not send anything; the server pings.",
        "",
        "| type | when |",
        "|---|---|",
        "| `message:new` | a mail was stored |",
        "| `message:read`, `message:starred`, `message:tags` | a PATCH carried that field |",
        "| `message:delete` | one message was deleted, by a client or by retention |",
        "| `messages:clear` | all were deleted |",
        "",
        "With `resume=true` each frame also carries `seq`. After a lost connection, `since=<seq>` replays what was missed,",
        "or closes with 4001 when that is no longer in the history: reload the list. 4001 also means that an event could",
        "not be sent. A client too slow to keep up (more than 4 MiB of events wait for it) is closed with 1013 when it has",
        "read what was on its way: reload the list and connect again. One that reads nothing for 30 seconds is cut off",
        "without a code.",
        "When an inbox is removed, clients that see only that inbox are closed with 4004. When a token ends, or one of its",
        "inboxes is removed, its clients are closed with 4003.",
      ].join("\n"),
      query: query({
        resume: withDefault(false, boolean("Frames carry `seq`.")),
        since: integer("Replay what came after this `seq`; implies `resume=true`.", { format: "int64" }),
        include: choice(["preview"], "`preview` adds `data.preview` to `message:new`."),
      }),
      responses: {
        101: {
          description: "Switching Protocols; the frames are described by this schema.",
          content: { "application/json": { schema: InboxEvent } },
        },
        ...problem("A parameter or the handshake is malformed.", invalid("resume", "1", "true or false")),
        ...problem("The request is not a WebSocket handshake, or its version is not 13.", NO_HANDSHAKE),
        ...problem("As many clients as allowed are connected.", TOO_MANY_CLIENTS),
      },
      answer: ({ request, query: { resume, since, include } }) => {
        const isNumbered = resume || since !== undefined;
        const framesOf = async (entry: NumberedEvent) => [
          frameOf(entry, isNumbered, include && (await previewOf(entry, reader))),
        ];
        return events.upgrade(request, { since, framesOf });
      },
    }),
  );
}

function previewOf({ event }: NumberedEvent, reader: MessageReader): Promise<MessagePreview | null> | null {
  return event.type === "message:new" ? reader.preview(event.data.id).catch(() => null) : null;
}

function frameOf(
  { seq, event }: NumberedEvent,
  isNumbered: boolean,
  preview?: MessagePreview | null,
): string {
  const shown =
    event.type === "message:new" && preview ? { type: event.type, data: { ...event.data, preview } } : event;
  return JSON.stringify(isNumbered ? { ...shown, seq } : shown);
}
