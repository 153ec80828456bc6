// What a server offers and its limits and name: the same for all its sessions.
import type { Mechanism } from "./auth.ts";

export interface SessionPolicy {
  readonly serverName: string;
  readonly tls: "unavailable" | "offered" | "required";
  readonly authRequired: boolean;
  readonly mechanisms: readonly Mechanism[];
  readonly maxMessageBytes: number;
  readonly maxRecipients: number;
  /** The longest command line, its line end included. */
  readonly maxCommandBytes: number;
  /** Commands since the last stored mail that led to nothing. One more is answered with 421. */
  readonly maxFruitlessCommands: number;
  /** A fresh challenge for CRAM-MD5, never the same twice. */
  readonly newChallenge: () => string;
}

const canStartTls = ({ tls }: SessionPolicy, secure: boolean) => tls !== "unavailable" && !secure;
const canLogin = ({ tls }: SessionPolicy, secure: boolean) => secure || tls !== "required";

/** The EHLO keywords: everything announced works, STARTTLS and AUTH only where they can be used. */
export function announcedKeywords(policy: SessionPolicy, secure: boolean): string[] {
  return [
    "PIPELINING",
    `SIZE ${policy.maxMessageBytes}`,
    "8BITMIME",
    "BINARYMIME",
    "CHUNKING",
    "SMTPUTF8",
    "ENHANCEDSTATUSCODES",
    "DSN",
    ...(canLogin(policy, secure) ? [`AUTH ${policy.mechanisms.join(" ")}`] : []),
    ...(canStartTls(policy, secure) ? ["STARTTLS"] : []),
    "HELP",
  ];
}

/** The verbs that HELP lists, by the same rule. */
export const usableVerbs = (policy: SessionPolicy, secure: boolean): string[] => [
  ..."EHLO HELO MAIL RCPT DATA BDAT RSET NOOP VRFY HELP".split(" "),
  ...(canStartTls(policy, secure) ? ["STARTTLS"] : []),
  ...(canLogin(policy, secure) ? ["AUTH"] : []),
  "QUIT",
];
