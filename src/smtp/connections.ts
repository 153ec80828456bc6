// All open connections of a server, and the counts of connections, commands and refusals since its start.
import { type CommandName, type Reply, VERBS } from "./protocol/index.ts";

export interface Client {
  readonly address: string;
  /** False for a client that is only told that there are too many connections. */
  readonly admitted: boolean;
}

/** Addresses without a connection may exceed the limit by this share, so that one client cannot shut out all others. */
const SHARE_FOR_OTHERS = 0.1;

/** Not a Set: when a Set grows, its old table keeps closed connections alive until the next full garbage collection. */
export class Connections<Of extends Client> {
  readonly #maxInAll: number;
  readonly #maxPerAddress: number;
  readonly #clients: Of[] = [];
  readonly #byAddress = new Map<string, number>();
  /** The number of connected clients that were not turned away. */
  admitted = 0;

  constructor(maxInAll: number, maxPerAddress: number) {
    this.#maxInAll = maxInAll;
    this.#maxPerAddress = maxPerAddress;
  }

  get size(): number {
    return this.#clients.length;
  }

  mayAdmit(address: string): boolean {
    const here = this.#byAddress.get(address) ?? 0;
    const more = here === 0 ? Math.ceil(this.#maxInAll * SHARE_FOR_OTHERS) : 0;
    return this.admitted < this.#maxInAll + more && here < this.#maxPerAddress;
  }

  add(client: Of): void {
    this.#clients.push(client);
    if (client.admitted) this.#count(client.address, 1);
  }

  remove(client: Of): boolean {
    const place = this.#clients.indexOf(client);
    if (place < 0) return false;
    const last = this.#clients.pop() as Of;
    if (last !== client) this.#clients[place] = last;
    if (client.admitted) this.#count(client.address, -1);
    return true;
  }

  /** A copy, because clients may leave during a loop over it. */
  get all(): Of[] {
    return [...this.#clients];
  }

  #count(address: string, change: 1 | -1): void {
    const here = (this.#byAddress.get(address) ?? 0) + change;
    if (here === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, here);
    this.admitted += change;
  }
}

/** A code and, if the reply has one, an enhanced code: `550 5.1.1`. */
const REASON = /^\d{3}(?: \d\.\d+\.\d+)?/;
/** Fault rules can use any reply code, and each code adds a time series to the metrics. */
const MAX_REASONS = 100;

export class SmtpCounts {
  connections = 0;
  turnedAway = 0;
  readonly commands = Object.fromEntries([...VERBS, "unknown"].map((name) => [name, 0])) as Record<
    CommandName,
    number
  >;
  /** By reply code and enhanced code; `dropped` if there was no reply, and `other` for codes beyond the limit. */
  readonly refusals = new Map<string, number>();

  refused({ wire }: Reply): void {
    const told = REASON.exec(wire)?.[0] ?? "dropped";
    const isKept = this.refusals.has(told) || this.refusals.size < MAX_REASONS;
    const reason = isKept ? told : "other";
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}
