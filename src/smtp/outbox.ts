// The replies on their way to a client. The replies of a turn (see turn.ts) are sent in one piece.
import type { Socket } from "bun";
import type { Reply, Session } from "./protocol/index.ts";

/** If more than this waits to be sent, the session stops reading until all of it is sent. */
const MAX_UNSENT_BYTES = 16 * 1024;
/** After this many slow commands the session stops reading until the replies are sent. */
const MAX_SLOW_COMMANDS = 32;

/** Holds the session while the client does not read its replies. */
export class Outbox {
  readonly #session: Session;
  #unsent = "";
  #slowCommands = 0;
  holdsSession = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get isEmpty(): boolean {
    return this.#unsent === "";
  }

  put({ wire }: Reply): void {
    this.#unsent += wire;
    if (this.#unsent.length > MAX_UNSENT_BYTES) this.#hold();
  }

  /** Called after a refusal and when fault rules are tried, because both take time. */
  countSlowCommand(): void {
    if (++this.#slowCommands >= MAX_SLOW_COMMANDS) this.#hold();
  }

  /** Bytes that the socket does not take now are sent when it drains. */
  sendTo(socket: Socket<unknown>): void {
    if (this.#unsent === "") return;
    this.#slowCommands = 0;
    const written = socket.write(this.#unsent);
    // The client has reset the connection. A paused socket would not report that.
    if (written < 0) socket.terminate();
    this.#unsent = written === this.#unsent.length ? "" : this.#unsent.slice(Math.max(written, 0));
    if (this.#unsent !== "") this.#hold();
  }

  release(): void {
    if (!this.holdsSession || this.#unsent !== "") return;
    this.holdsSession = false;
    this.#session.release();
  }

  #hold(): void {
    if (this.holdsSession) return;
    this.holdsSession = true;
    this.#session.hold();
  }
}
