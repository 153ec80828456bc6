// A stream of events over WebSockets. A client gets all events after its position, in order. If the
// history no longer has the next one, the client is closed, so that no event is skipped.
import type { ServerWebSocket } from "bun";
import { onEvent } from "../../app/index.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Caller, InboxEvent } from "../../model/index.ts";
import type { MailView, Store } from "../../store/index.ts";
import { EventHistory, type NumberedEvent } from "./history.ts";

export interface EventStreamOptions {
  readonly mail: Pick<MailView, "onChange">;
  readonly store: Pick<Store, "position" | "refresh">;
  readonly now: () => Date;
  readonly logger: Logger;
}

export interface WantedStream {
  /** The number of the last event that the client knows. Undefined for new events only. */
  readonly since?: number | undefined;
  /** A frame to send before any other. */
  readonly greeting?: string;
  /** The frames that tell the client about an event. */
  readonly framesOf: (entry: NumberedEvent) => readonly string[] | Promise<readonly string[]>;
}

export interface ClientData extends WantedStream {
  readonly stream: EventStream;
  /** Aborts when the client's credentials end. */
  readonly ended: Caller["ended"];
  /** Aborted when the client has left. */
  readonly left: AbortController;
  /** Events above this number have not been sent yet. */
  position: number;
  isBusy: boolean;
}

type Client = ServerWebSocket<ClientData>;

type Farewell = Readonly<{ code: number; reason: string }>;
/** 1013 is "Try Again Later" (RFC 6455 registry): the client reloads the list and reconnects. */
const TOO_SLOW: Farewell = { code: 1013, reason: "too slow: reload" };
const GOING_AWAY: Farewell = { code: 1001, reason: "Mailkeep is stopping" };
/** A close code of our own: the history lacks missed events, or an event could not be sent. */
const RELOAD: Farewell = { code: 4001, reason: "reload" };
export const INBOX_REMOVED: Farewell = { code: 4004, reason: "the inbox was removed" };

const HISTORY_BYTES = 4 * 1024 * 1024;
/** A client with this much unread gets nothing more until it reads. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** How many events are sent to a client at once. */
const BATCH = 20;
/** The first number comes from the clock: below a million events a second, a restart repeats no number. */
const SEQ_PER_MILLISECOND = 1000;

export class EventStream {
  readonly #history: EventHistory;
  readonly #clients = new Set<Client>();
  readonly #unsubscribe: () => void;
  readonly #logger: Logger;
  #isDue = false;

  constructor({ mail, store, now, logger }: EventStreamOptions) {
    this.#logger = logger;
    const { position } = store;
    this.#history =
      position === null
        ? new EventHistory(now().getTime() * SEQ_PER_MILLISECOND, HISTORY_BYTES)
        : EventHistory.ofLog(() => store.position ?? position, HISTORY_BYTES);
    this.#unsubscribe = onEvent(mail, (event) => this.#publish(event));
  }

  get clientCount(): number {
    return this.#clients.size;
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

  /** Closes the clients, but not the stream: after a change of certificate they connect again. */
  sendAway({ code, reason } = GOING_AWAY): void {
    for (const client of this.#clients) client.close(code, reason);
  }

  opened(client: Client): void {
    const { data } = client;
    this.#clients.add(client);
    this.#history.keep();
    data.position = data.since ?? this.#history.seq;
    if (data.greeting !== undefined) client.send(data.greeting);
    void this.sendOn(client);
  }

  closed(client: Client): void {
    this.#clients.delete(client);
  }

  /** Sends a client the events after its position. Stops early if the client does not keep up. */
  async sendOn(client: Client): Promise<void> {
    const { data } = client;
    if (data.isBusy) return;
    data.isBusy = true;
    try {
      for (let batch = this.#nextFor(client); batch.length > 0; batch = this.#nextFor(client)) {
        const frames = (await Promise.all(batch.map(data.framesOf))).flat();
        client.cork(() => {
          for (const frame of frames) client.send(frame);
        });
        data.position = batch.at(-1)?.seq ?? data.position;
      }
    } catch (error) {
      this.#logger.error("an event could not be sent", { error: String(error) });
      client.close(RELOAD.code, RELOAD.reason);
    } finally {
      data.isBusy = false;
    }
  }

  /** Empty if the client has left, has all events, or does not keep up. */
  #nextFor(client: Client): readonly NumberedEvent[] {
    if (!this.#clients.has(client) || client.getBufferedAmount() >= MAX_UNREAD_BYTES) return [];
    const missed = this.#history.after(client.data.position, BATCH);
    if (missed === null) this.#dismiss(client);
    return missed ?? [];
  }

  /**
   * Closes the connection once the client has read everything. After an earlier close Bun would
   * give the client only eight seconds to read the rest, and a program that is paused in a debugger
   * would never get the close code.
   */
  #dismiss(client: Client): void {
    if (client.getBufferedAmount() > 0) return;
    const { since, position } = client.data;
    const { code, reason } = position === since ? RELOAD : TOO_SLOW;
    client.close(code, reason);
  }

  /** Events that come together are sent together, because each write to a socket costs more than making a frame. */
  #publish(event: InboxEvent): void {
    this.#history.add(event);
    if (this.#isDue || this.#clients.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      for (const client of this.#clients) void this.sendOn(client);
    });
  }
}
