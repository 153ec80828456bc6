// What the SMTP server has done since its start, in plain numbers that are read when somebody asks.
import { type CommandName, type Reply, VERBS } from "./protocol/index.ts";

const FOUR = 0x34;
/** A code and an enhanced one: `550 5.1.1`. */
const REASON = /^\d{3}(?: \d\.\d+\.\d+)?/;
/** Fault rules can use any reply code, and each code is a series of its own. */
const MAX_REASONS = 100;

export class SmtpCounts {
  connections = 0;
  turnedAway = 0;
  readonly commands = Object.fromEntries([...VERBS, "unknown"].map((name) => [name, 0])) as Record<
    CommandName,
    number
  >;
  /** By reply code and enhanced code, `dropped` without a reply, or `other` for the rest. */
  readonly refusals = new Map<string, number>();

  replied({ wire }: Reply): void {
    if (wire.charCodeAt(0) < FOUR) return;
    const told = REASON.exec(wire)?.[0] ?? "dropped";
    const isKept = this.refusals.has(told) || this.refusals.size < MAX_REASONS;
    const reason = isKept ? told : "other";
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}
