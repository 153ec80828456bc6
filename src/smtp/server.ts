// The SMTP server: listeners, the set of connections and their limits.
import { randomBytes } from "node:crypto";
import type { Socket, SocketHandler } from "bun";
import { FailedLogins } from "../app/index.ts";
import { plainAddress } from "../lib/hosts.ts";
import type { TlsKeyPair } from "./certificate.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import { Connections, SmtpCounts } from "./connections.ts";
import type { Credentials } from "./credentials.ts";
import { MECHANISMS, type SessionLimits, type SessionPolicy } from "./protocol/index.ts";
import { type Clock, systemClock, type Timeouts, tickMs } from "./timeouts.ts";
import { Turn } from "./turn.ts";

export interface SmtpLimits extends SessionLimits, Timeouts {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

export interface SmtpServerOptions
  extends Pick<ConnectionContext, "mailbox" | "inboxes" | "faults" | "transcripts" | "logger"> {
  readonly hostname: string;
  /** 0 for a free port. */
  readonly port: number;
  /** A second listener, with TLS from the first byte. */
  readonly smtpsPort?: number | undefined;
  /** Further listeners. Mail to one goes into its `inbox`, unless the login selects another. */
  readonly inboxPorts?: readonly { readonly inbox: string; readonly port: number }[];
  /** Certificate and key as PEM; they enable STARTTLS. */
  readonly tls?: TlsKeyPair | undefined;
  readonly tlsRequired: boolean;
  /** If `verify` is null, any login is accepted, except with a wrong token for an inbox. */
  readonly auth: { readonly required: boolean; readonly verify: Credentials | null };
  readonly limits: SmtpLimits;
  /** The name of the server in its greeting and its replies to EHLO and HELO. */
  readonly serverName: string;
  readonly clock?: Clock;
}

const DEFAULT_GRACE_MS = 5000;
/**
 * At most this many clients at a time are told that there are too many connections. Others beyond
 * the limits get no reply.
 */
const MAX_TURNED_AWAY = 20;

export class SmtpServer {
  readonly #options: SmtpServerOptions;
  readonly #context: ConnectionContext;
  readonly #stopTicking: () => void;
  readonly #listeners: Bun.TCPSocketListener<Connection>[] = [];
  /** Includes clients that are being turned away, and connections that are being closed. */
  readonly #connections: Connections<Connection>;
  #onEmpty: (() => void) | null = null;

  readonly port: number;
  readonly smtpsPort: number | undefined;
  readonly inboxPorts: ReadonlyMap<string, number>;
  readonly counts = new SmtpCounts();

  /** Throws if a port cannot be bound. */
  constructor(options: SmtpServerOptions) {
    const { limits, auth, clock = systemClock, inboxPorts = [] } = options;
    if (options.tls === undefined && (options.tlsRequired || options.smtpsPort !== undefined)) {
      throw new Error("SMTP over TLS needs a certificate");
    }
    this.#options = options;
    this.#stopTicking = clock.every(tickMs(limits), () => {
      const now = clock.now();
      for (const connection of this.#connections.all) connection.tick(now);
    });
    this.#connections = new Connections(limits.maxConnections, limits.maxConnectionsPerAddress);
    this.#context = {
      ...options,
      policy: sessionPolicy(options),
      timeouts: limits,
      turn: new Turn(),
      counts: this.counts,
      credentials: auth.verify,
      failedLogins: new FailedLogins(() => clock.now()),
      upgrade: (socket) => this.#upgrade(socket),
    };
    try {
      this.port = this.#listen(options.port, false);
      this.smtpsPort = options.smtpsPort === undefined ? undefined : this.#listen(options.smtpsPort, true);
      this.inboxPorts = new Map(
        inboxPorts.map(({ inbox, port }) => [inbox, this.#listen(port, false, inbox)]),
      );
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  get connections(): number {
    return this.#connections.admitted;
  }

  /** Whether so many clients are connected that the next one may be refused. */
  get isCrowded(): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#options.limits;
    return this.connections >= Math.min(maxConnections, maxConnectionsPerAddress);
  }

  /** Accepts no new clients, lets current mails finish within `graceMs`, then closes all connections. */
  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    for (const listener of this.#listeners) listener.stop();
    for (const connection of this.#connections.all) connection.stop();
    await this.#emptied(graceMs);
    for (const connection of this.#connections.all) connection.terminate();
    this.#close();
  }

  #emptied(graceMs: number): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #close(): void {
    for (const listener of this.#listeners) listener.stop(true);
    this.#stopTicking();
  }

  #listen(port: number, implicitTls: boolean, portInbox?: string): number {
    const { hostname, tls } = this.#options;
    const listener = Bun.listen<Connection>({
      hostname,
      port,
      // A client may close its side right after its last byte and still want its replies.
      allowHalfOpen: true,
      ...(implicitTls && tls !== undefined ? { tls } : {}),
      socket: {
        ...this.#handlers,
        open: (socket) => this.#open(socket, implicitTls, portInbox),
        ...(implicitTls
          ? { handshake: (socket, success) => (success ? socket.data?.start() : socket.terminate()) }
          : {}),
      },
    });
    this.#listeners.push(listener);
    return listener.port;
  }

  readonly #handlers = {
    data(socket, bytes) {
      const connection = socket.data;
      if (connection.socket === socket) connection.received(bytes);
    },
    drain(socket) {
      const connection = socket.data;
      if (connection?.socket === socket) connection.drained();
    },
    end(socket) {
      const connection = socket.data;
      if (connection.socket === socket) connection.inputEnd();
    },
    close: (socket) => this.#forget(socket.data),
    error(socket, error) {
      // Errors of the system and of TLS have a code, and their sockets close by themselves. Others are bugs.
      if (!("code" in error)) socket.data?.crashed(error);
    },
  } satisfies SocketHandler<Connection>;

  readonly #upgradedHandlers = {
    ...this.#handlers,
    handshake(socket, success) {
      if (success) socket.data.secured();
      else socket.terminate();
    },
  } satisfies SocketHandler<Connection>;

  #open(socket: Socket<Connection>, implicitTls: boolean, portInbox: string | undefined): void {
    const address = plainAddress(socket.remoteAddress);
    const admitted = this.#connections.mayAdmit(address);
    this.counts.connections++;
    if (!admitted) this.counts.turnedAway++;
    if (!admitted && this.#connections.size - this.#connections.admitted >= MAX_TURNED_AWAY) {
      socket.terminate();
      return;
    }
    const connection = new Connection(this.#context, socket, {
      address,
      admitted,
      tls: implicitTls,
      portInbox,
    });
    socket.data = connection;
    this.#connections.add(connection);
    this.#options.logger.debug(admitted ? "client connected" : "client turned away", {
      client: connection.address,
    });
    if (!implicitTls) connection.start();
  }

  #forget(connection: Connection | undefined): void {
    if (connection === undefined || !this.#connections.remove(connection)) return;
    connection.lost();
    this.#options.logger.debug("client gone", { client: connection.address });
    if (this.#connections.size === 0) this.#onEmpty?.();
  }

  #upgrade(socket: Socket<Connection>): Socket<Connection> {
    const { tls } = this.#options;
    if (tls === undefined) throw new Error("STARTTLS without a certificate");
    const upgrade = {
      // Needed, though bun-types does not list it.
      isServer: true,
      data: socket.data,
      tls: { ...tls },
      socket: this.#upgradedHandlers,
    };
    const [, secure] = socket.upgradeTLS<Connection>(upgrade);
    return secure;
  }
}

function sessionPolicy(options: SmtpServerOptions): SessionPolicy {
  const { serverName, tls, tlsRequired, auth, inboxes, limits } = options;
  const supportsCramMd5 = auth.verify?.supportsCramMd5 ?? true;
  const withoutCramMd5 = MECHANISMS.filter((mechanism) => mechanism !== "CRAM-MD5");
  return {
    ...limits,
    serverName,
    tls: tls === undefined ? "unavailable" : tlsRequired ? "required" : "offered",
    authRequired: auth.required,
    get mechanisms() {
      return supportsCramMd5 && inboxes.canCramMd5 ? MECHANISMS : withoutCramMd5;
    },
    newChallenge: () => `<${randomBytes(16).toString("hex")}@${serverName}>`,
  };
}
