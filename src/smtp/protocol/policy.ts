// What a server offers and how much it takes: the same for all its sessions.
import type { Mechanism } from "./sasl.ts";

export interface SessionPolicy {
  readonly serverName: string;
  readonly tls: "unavailable" | "offered" | "required";
  readonly authRequired: boolean;
  readonly mechanisms: readonly Mechanism[];
  readonly maxMessageBytes: number;
  readonly maxRecipients: number;
  /** The longest command line, its line end included. */
  readonly maxCommandBytes: number;
  /** Commands that get nowhere since the last stored mail: one more is answered 421. */
  readonly maxFruitlessCommands: number;
  /** A fresh challenge for CRAM-MD5, never the same twice. */
  readonly newChallenge: () => string;
}

/** The EHLO keywords: everything announced works, STARTTLS and AUTH only where they can be used. */
export function announcedKeywords(policy: SessionPolicy, secure: boolean): string[] {
  const canStartTls = policy.tls !== "unavailable" && !secure;
  const canLogin = secure || policy.tls !== "required";
  return [
    "PIPELINING",
    `SIZE ${policy.maxMessageBytes}`,
    "8BITMIME",
    "BINARYMIME",
    "CHUNKING",
    "SMTPUTF8",
    "ENHANCEDSTATUSCODES",
    "DSN",
    ...(canLogin ? [`AUTH ${policy.mechanisms.join(" ")}`] : []),
    ...(canStartTls ? ["STARTTLS"] : []),
    "HELP",
  ];
}
