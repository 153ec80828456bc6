// A stream of events over WebSockets, by Bun's publish with one topic for each variant of a frame. Events come in the
// order of the changes. No event is skipped: a client that cannot keep up is closed.
import type { Server, ServerWebSocket } from "bun";
import type { EventSource } from "../../events/index.ts";
import type { Caller, InboxEvent, MessagePreview } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { EventHistory, type NumberedEvent } from "./history.ts";

export interface EventStreamOptions {
  readonly bus: EventSource<InboxEvent>;
  /** Unique among the streams of a server. */
  readonly topic: string;
  readonly previewOf: (id: string) => Promise<MessagePreview | null>;
  readonly store: Pick<Store, "position" | "refresh">;
  readonly now: () => Date;
  /** The server whose clients listen; undefined before it has started. */
  readonly server: () => Server<ClientData> | undefined;
  /** Bytes that may wait for a slow client before it is closed. */
  readonly maxWaitingBytes?: number;
  /** The same for all clients together. */
  readonly maxAllWaitingBytes?: number;
}

/** The variant of frames that a client asked for when it connected. */
interface Variant {
  /** Frames carry `seq`. */
  readonly resume: boolean;
  /** `message:new` carries `data.preview`. */
  readonly preview: boolean;
}

export interface WantedStream extends Variant {
  readonly since: number | undefined;
  /** Takes over this client, to send it frames of another format. */
  readonly elsewhere?: { readonly open: (client: Client) => void; readonly close: () => void };
}

export interface ClientData extends WantedStream {
  readonly stream: EventStream;
  /** Aborts when the client's credentials end. */
  readonly ended: Caller["ended"];
  /** Aborted when the client has left. */
  readonly left: AbortController;
}

export type Client = ServerWebSocket<ClientData>;

type Farewell = Readonly<{ code: number; reason: string }>;
/** Try again later (RFC 6455 registry): reload the list, then connect again. */
const TOO_SLOW: Farewell = { code: 1013, reason: "too slow: reload" };
const GOING_AWAY: Farewell = { code: 1001, reason: "Mailkeep is stopping" };
/** Our own code: the missed events are no longer in the history. */
const RELOAD: Farewell = { code: 4001, reason: "reload" };
export const INBOX_REMOVED: Farewell = { code: 4004, reason: "the inbox was removed" };

const WAITING_BYTES = 4 * 1024 * 1024;
const ALL_WAITING_BYTES = 128 * 1024 * 1024;
/** Half of the bytes that may wait, so that a replay alone does not make a client too slow. */
const HISTORY = { maxEvents: 10_000, maxBytes: WAITING_BYTES / 2 };
/** Checking all clients costs more than sending an event, so they are checked once in this many published bytes. */
const SWEEP_EVERY_BYTES = 64 * 1024;
/** If more bytes of events wait for their previews, clients must reload. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
/** The approximate bytes of names and fixed fields in a frame. */
const FRAME_BYTES = 300;
/** Numbers after a restart are higher than before, unless there were more than a million events a second. */
const SEQ_PER_MILLISECOND = 1000;

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #history: EventHistory;
  readonly #clients = new Set<Client>();
  /** Clients to close, with code and reason, as soon as they have read the frames already sent. */
  readonly #leaving = new Map<Client, Farewell>();
  readonly #unsubscribe: () => void;
  /** Frames with previews are sent one after the other, because a preview may have to be read first. */
  #lastPreviewed: Promise<void> = Promise.resolve();
  /** Events after this number still wait to be sent with their previews. */
  #previewedSeq: number;
  /** The bytes of events that wait for their previews. */
  #unsentBytes = 0;
  #unsweptBytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    const { store, now } = options;
    const { position } = store;
    this.#history =
      position === null
        ? new EventHistory(now().getTime() * SEQ_PER_MILLISECOND, HISTORY)
        : EventHistory.ofLog(() => store.position ?? position, HISTORY);
    this.#previewedSeq = this.#history.seq;
    this.#unsubscribe = options.bus.subscribe((event) => this.#publish(event));
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Includes clients that are about to leave. */
  get openClients(): number {
    return this.#clients.size + this.#leaving.size;
  }

  /** The number of the latest event. A client can resume from it. */
  get seq(): number {
    this.#history.keep();
    return this.#history.seq;
  }

  close(farewell = GOING_AWAY): void {
    this.#unsubscribe();
    this.sendAway(farewell);
  }

  /** Closes all clients. They may reconnect at once, to another server. */
  sendAway(farewell = GOING_AWAY): void {
    for (const client of this.#clients) client.close(farewell.code, farewell.reason);
    for (const [client, { code, reason }] of this.#leaving) client.close(code, reason);
  }

  opened(client: Client): void {
    this.#clients.add(client);
    if (client.data.elsewhere) {
      client.data.elsewhere.open(client);
      return;
    }
    if (client.data.resume) this.#history.keep();
    if (client.data.preview) {
      this.#inTurn(0, () => this.#welcomeWithPreviews(client));
      return;
    }
    for (const entry of this.#missedBy(client)) client.send(frameOf(entry, client.data.resume));
    this.#subscribe(client);
  }

  closed(client: Client): void {
    client.data.elsewhere?.close();
    this.#clients.delete(client);
    this.#leaving.delete(client);
  }

  /** Later events wait until this is done. Then the client gets them through its subscription. */
  async #welcomeWithPreviews(client: Client): Promise<void> {
    for (const entry of this.#missedBy(client)) {
      if (entry.seq > this.#previewedSeq) break;
      client.send(frameOf(entry, client.data.resume, await this.#previewOf(entry.event)));
    }
    this.#subscribe(client);
  }

  #inTurn(bytes: number, step: () => Promise<void>): void {
    this.#unsentBytes += bytes;
    this.#lastPreviewed = this.#lastPreviewed
      .then(step)
      .catch(() => this.#tellToReload())
      .then(() => {
        this.#unsentBytes -= bytes;
      });
  }

  #subscribe(client: Client): void {
    const isStaying = client.readyState === WebSocket.OPEN && this.#clients.has(client);
    if (isStaying) client.subscribe(this.#topicOf(client.data));
  }

  #missedBy(client: Client): readonly NumberedEvent[] {
    const { since } = client.data;
    if (since === undefined) return [];
    const missed = this.#history.after(since);
    if (!missed) this.#dismiss(client, RELOAD);
    return missed ?? [];
  }

  #publish(event: InboxEvent): void {
    const bytes = weightOf(event);
    const entry = this.#history.add(event, bytes);
    if (this.#clients.size === 0) {
      this.#previewedSeq = entry.seq;
      return;
    }
    this.#inTurn(bytes, () => this.#publishWithPreview(entry));
    for (const resume of [false, true]) this.#send({ resume, preview: false }, () => frameOf(entry, resume));
    if (this.#unsentBytes > MAX_UNSENT_BYTES) this.#tellToReload();
  }

  async #publishWithPreview(entry: NumberedEvent): Promise<void> {
    const wanted = [false, true].some((resume) => this.#subscribers({ resume, preview: true }) > 0);
    const preview = wanted ? await this.#previewOf(entry.event) : null;
    this.#previewedSeq = Math.max(this.#previewedSeq, entry.seq);
    for (const resume of [false, true])
      this.#send({ resume, preview: true }, () => frameOf(entry, resume, preview));
  }

  async #previewOf(event: InboxEvent): Promise<MessagePreview | null> {
    return event.type === "message:new" ? this.#options.previewOf(event.data.id).catch(() => null) : null;
  }

  #topicOf({ resume, preview }: Variant): string {
    return `${this.#options.topic}${resume ? "+seq" : ""}${preview ? "+preview" : ""}`;
  }

  #subscribers(variant: Variant): number {
    return this.#options.server()?.subscriberCount(this.#topicOf(variant)) ?? 0;
  }

  #send(variant: Variant, frame: () => string): void {
    const server = this.#options.server();
    if (!server || this.#subscribers(variant) === 0) return;
    const text = frame();
    this.#unsweptBytes += text.length;
    // Zero or less means that at least one client did not accept the frame at once.
    if (server.publish(this.#topicOf(variant), text) <= 0) this.#closeSlowClients();
  }

  /** Called if too many events wait for previews, or if sending failed: nobody knows then who got the frame. */
  #tellToReload(): void {
    for (const client of this.#clients) this.#dismiss(client, RELOAD);
  }

  #closeSlowClients(): void {
    if (this.#unsweptBytes < SWEEP_EVERY_BYTES) return;
    this.#unsweptBytes = 0;
    const behind = [...this.#clients].filter((client) => client.getBufferedAmount() > 0);
    // The more clients are behind, the less may wait for each: a thousand stalled clients would take gigabytes. Clients
    // that are about to be closed count, too.
    const standing = behind.length + this.#leaving.size;
    const { maxWaitingBytes = WAITING_BYTES, maxAllWaitingBytes = ALL_WAITING_BYTES } = this.#options;
    const limit = Math.min(maxWaitingBytes, maxAllWaitingBytes / standing);
    for (const client of behind) {
      if (client.getBufferedAmount() > limit) this.#dismiss(client, TOO_SLOW);
    }
  }

  #dismiss(client: Client, farewell: Farewell): void {
    this.#clients.delete(client);
    client.unsubscribe(this.#topicOf(client.data));
    this.#leaving.set(client, farewell);
    this.takeLeave(client);
  }

  /**
   * Closes a client when it has read everything. Bun would give it only eight seconds, and a program in a debugger would
   * never get the code.
   */
  takeLeave(client: Client): void {
    const farewell = this.#leaving.get(client);
    if (!farewell || client.getBufferedAmount() > 0) return;
    this.#leaving.delete(client);
    client.close(farewell.code, farewell.reason);
  }
}

function frameOf({ seq, event }: NumberedEvent, resume: boolean, preview?: MessagePreview | null): string {
  const shown =
    event.type === "message:new" && preview ? { type: event.type, data: { ...event.data, preview } } : event;
  return JSON.stringify(resume ? { ...shown, seq } : shown);
}

/** The approximate length of a frame, without making one: most events have no listener. */
function weightOf(event: InboxEvent): number {
  if (event.type !== "message:new") return FRAME_BYTES;
  const { subject, sender, recipients, tags } = event.data;
  let bytes = FRAME_BYTES + subject.length + sender.length;
  for (const address of recipients) bytes += address.length + 3;
  for (const tag of tags) bytes += tag.length + 3;
  return bytes;
}
