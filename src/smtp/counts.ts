// What the SMTP server has done since its start, in plain numbers that are read when somebody asks.
import { type CommandName, type Reply, VERBS } from "./protocol/index.ts";

const FOUR = 0x34;
/** A code and an enhanced one: `550 5.1.1`. */
const REASON = /^\d{3}(?: \d\.\d+\.\d+)?/;

export class SmtpCounts {
  connections = 0;
  turnedAway = 0;
  readonly commands = Object.fromEntries([...VERBS, "unknown"].map((name) => [name, 0])) as Record<
    CommandName,
    number
  >;
  /** By reply code and enhanced code, or `dropped` without a reply. */
  readonly refusals = new Map<string, number>();

  replied({ wire }: Reply): void {
    if (wire.charCodeAt(0) < FOUR) return;
    const reason = REASON.exec(wire)?.[0] ?? "dropped";
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}
