// The WebSocket event stream: native publish by topic, one topic for each variant of a frame.
// Order is the order of the changes; a client that cannot keep up is closed, never skipped.
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { EventBus } from "../../events/index.ts";
import type { InboxEvent, MessagePreview } from "../../model/index.ts";
import { Problem } from "../problem.ts";
import { frameOf, topicOf, type Variant, weightOf } from "./frames.ts";
import { EventHistory, type NumberedEvent } from "./history.ts";

export interface EventStreamOptions {
  readonly bus: EventBus<InboxEvent>;
  readonly maxClients: number;
  readonly previewOf: (id: string) => Promise<MessagePreview | null>;
  readonly now: () => Date;
  /** Told of what failed after the bus had gone on. */
  readonly onFailure: (error: unknown) => void;
  /** Bytes that may wait for a slow client before it is closed. */
  readonly maxWaitingBytes?: number;
  readonly history?: { readonly maxEvents: number; readonly maxBytes: number };
}

export interface ClientData extends Variant {
  readonly since: number | undefined;
}

type Client = ServerWebSocket<ClientData>;

/** Try again later (RFC 6455 registry): reload the list, then connect again. */
const TOO_SLOW = 1013;
const GOING_AWAY = 1001;
/** Ours: what was missed is no longer in the history. */
export const RELOAD = 4001;

const IDLE_TIMEOUT_SECONDS = 30;
const MAX_CLIENT_FRAME_BYTES = 16 * 1024;
const DEFAULT_WAITING_BYTES = 4 * 1024 * 1024;
/** Half of what may wait, so that a replay alone makes nobody too slow. */
const DEFAULT_HISTORY = { maxEvents: 10_000, maxBytes: DEFAULT_WAITING_BYTES / 2 };
/** Looking at every client costs more than an event: it is done once for so many bytes published. */
const SWEEP_EVERY_BYTES = 64 * 1024;
/** Numbers of a later run lie above those of an earlier one, as long as no run has a million events a second. */
const SEQ_PER_MILLISECOND = 1000;

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #maxWaitingBytes: number;
  readonly #history: EventHistory;
  readonly #clients = new Set<Client>();
  readonly #unsubscribe: () => void;
  #server: Server<ClientData> | null = null;
  /** Frames with previews wait for them, one after the other; `#previewedSeq` is the last one sent. */
  #previews: Promise<void> = Promise.resolve();
  #previewedSeq: number;
  #unsweptBytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? DEFAULT_WAITING_BYTES;
    this.#history = new EventHistory(
      options.now().getTime() * SEQ_PER_MILLISECOND,
      options.history ?? DEFAULT_HISTORY,
    );
    this.#previewedSeq = this.#history.seq;
    this.#unsubscribe = options.bus.subscribe((event) => this.#publish(event));
  }

  readonly handlers: WebSocketHandler<ClientData> = {
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPings: true,
    maxPayloadLength: MAX_CLIENT_FRAME_BYTES,
    // Our own limit closes a slow client with a reason long before this one drops frames.
    backpressureLimit: 1024 * 1024 * 1024,
    closeOnBackpressureLimit: true,
    open: (client) => this.#open(client),
    message: () => {},
    close: (client) => {
      this.#clients.delete(client);
    },
  };

  get clientCount(): number {
    return this.#clients.size;
  }

  /** The number of the latest event. */
  get seq(): number {
    return this.#history.seq;
  }

  attach(server: Server<ClientData>): void {
    this.#server = server;
  }

  /** Throws when the request cannot become a WebSocket; otherwise it has become one. */
  upgrade(request: Request, data: ClientData): void {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      throw new Problem(426, "upgrade_required", "This path speaks WebSocket only.", {
        upgrade: "websocket",
        connection: "upgrade",
      });
    }
    if (this.#clients.size >= this.#options.maxClients) {
      throw new Problem(503, "too_many_websockets", "As many WebSocket clients as allowed are connected.", {
        "retry-after": "5",
      });
    }
    if (!this.#server?.upgrade(request, { data })) {
      throw new Problem(400, "invalid_handshake", "The WebSocket handshake is malformed.");
    }
  }

  close(): void {
    this.#unsubscribe();
    for (const client of this.#clients) client.close(GOING_AWAY, "Mailkeep is stopping");
  }

  #open(client: Client): void {
    this.#clients.add(client);
    if (client.data.preview) this.#enqueuePreview(() => this.#welcomeWithPreviews(client));
    else this.#welcome(client);
  }

  #welcome(client: Client): void {
    for (const entry of this.#missedBy(client)) client.send(frameOf(entry, client.data.resume));
    client.subscribe(topicOf(client.data));
  }

  async #welcomeWithPreviews(client: Client): Promise<void> {
    // Later events are behind this one in the queue: they reach the client through its subscription.
    const missed = this.#missedBy(client).filter(({ seq }) => seq <= this.#previewedSeq);
    for (const entry of missed)
      client.send(frameOf(entry, client.data.resume, await this.#previewOf(entry.event)));
    if (client.readyState === WebSocket.OPEN) client.subscribe(topicOf(client.data));
  }

  #missedBy(client: Client): readonly NumberedEvent[] {
    const { since } = client.data;
    if (since === undefined) return [];
    const missed = this.#history.after(since);
    if (!missed) client.close(RELOAD, "reload");
    return missed ?? [];
  }

  #publish(event: InboxEvent): void {
    const entry = this.#history.add(event, weightOf(event));
    if (this.#clients.size === 0) {
      this.#previewed(entry);
      return;
    }
    this.#enqueuePreview(() => this.#publishWithPreview(entry));
    try {
      this.#send({ resume: false, preview: false }, () => frameOf(entry, false));
      this.#send({ resume: true, preview: false }, () => frameOf(entry, true));
    } catch (error) {
      this.#tellToReload();
      throw error;
    }
  }

  async #publishWithPreview(entry: NumberedEvent): Promise<void> {
    const wanted = [true, false].some((resume) => this.#hasSubscribers({ resume, preview: true }));
    const preview = wanted ? await this.#previewOf(entry.event) : null;
    this.#previewed(entry);
    for (const resume of [true, false])
      this.#send({ resume, preview: true }, () => frameOf(entry, resume, preview));
  }

  #previewed({ seq }: NumberedEvent): void {
    this.#previewedSeq = Math.max(this.#previewedSeq, seq);
  }

  #enqueuePreview(step: () => Promise<void>): void {
    this.#previews = this.#previews.then(step).catch((error) => {
      this.#tellToReload();
      this.#options.onFailure(error);
    });
  }

  async #previewOf(event: InboxEvent): Promise<MessagePreview | null> {
    return event.type === "message:new" ? this.#options.previewOf(event.data.id).catch(() => null) : null;
  }

  #hasSubscribers(variant: Variant): boolean {
    return (this.#server?.subscriberCount(topicOf(variant)) ?? 0) > 0;
  }

  #send(variant: Variant, frame: () => string): void {
    if (!this.#server || !this.#hasSubscribers(variant)) return;
    const text = frame();
    this.#unsweptBytes += text.length;
    // Zero and below: at least one client did not take it at once.
    if (this.#server.publish(topicOf(variant), text) <= 0) this.#closeSlowClients();
  }

  /** After a frame that could not be sent: nobody knows who has it. */
  #tellToReload(): void {
    for (const client of this.#clients) client.close(RELOAD, "reload");
    this.#clients.clear();
  }

  #closeSlowClients(): void {
    if (this.#unsweptBytes < SWEEP_EVERY_BYTES) return;
    this.#unsweptBytes = 0;
    for (const client of this.#clients) {
      if (client.getBufferedAmount() <= this.#maxWaitingBytes) continue;
      this.#clients.delete(client);
      client.close(TOO_SLOW, "too slow: reload");
    }
  }
}
