// The replies to a client, those of a turn written in one piece. Whoever does not read them is not listened to
// either: its session is held until they are with the system.
import type { Socket } from "bun";
import type { Reply, Session } from "./protocol/index.ts";

/** Replies of one turn, or those that wait for the client to read; above this the session is held. */
const MAX_UNSENT_BYTES = 16 * 1024;

export class Outbox {
  readonly #session: Session;
  #unsent = "";
  /** The same as bytes, if it is a reply whose bytes are kept. */
  #bytes: Buffer | null = null;
  #holdsSession = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get isEmpty(): boolean {
    return this.#unsent === "";
  }

  get holdsSession(): boolean {
    return this.#holdsSession;
  }

  put({ wire, bytes }: Reply): void {
    const isFirst = this.#unsent === "";
    // The first as it is: joined to nothing, it would be copied before it is sent.
    this.#unsent = isFirst ? wire : this.#unsent + wire;
    this.#bytes = isFirst ? bytes : null;
    if (this.#unsent.length > MAX_UNSENT_BYTES) this.#hold();
  }

  /** What is left is to be sent when the socket drains. */
  sendTo(socket: Socket<unknown>): void {
    if (this.#unsent === "") return;
    const written = socket.write(this.#bytes ?? this.#unsent);
    // The client has reset the connection. Paused, the socket would not say so.
    if (written < 0) socket.terminate();
    this.#unsent = written === this.#unsent.length ? "" : this.#unsent.slice(Math.max(written, 0));
    this.#bytes = null;
    if (this.#unsent !== "") this.#hold();
  }

  /** Lets the session go on if it was held and all is sent. */
  release(): void {
    if (!this.#holdsSession || this.#unsent !== "") return;
    this.#holdsSession = false;
    this.#session.release();
  }

  #hold(): void {
    if (this.#holdsSession) return;
    this.#holdsSession = true;
    this.#session.hold();
  }
}
