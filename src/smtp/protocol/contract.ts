// The interface between a session and its server: a policy, which all sessions share, and effects.
// Some results come later, by a method of `Session`. Until then the session reads no further input.
import type { Envelope, FaultStage } from "../../lib/smtp.ts";
import type { LoginAttempt, Mechanism } from "./auth.ts";
import type { CommandName } from "./command.ts";
import type { Reply } from "./replies.ts";

export interface SessionLimits {
  readonly maxMessageBytes: number;
  readonly maxRecipients: number;
  /** The longest command line, including its line end. */
  readonly maxCommandBytes: number;
  /** The limit of fruitless commands (see `Reply`) since the last stored mail. One more is answered with 421. */
  readonly maxFruitlessCommands: number;
}

export interface SessionPolicy extends SessionLimits {
  readonly serverName: string;
  readonly tls: "unavailable" | "offered" | "required";
  readonly authRequired: boolean;
  readonly mechanisms: readonly Mechanism[];
  /** A fresh challenge for CRAM-MD5, never the same twice. */
  readonly newChallenge: () => string;
}

export function announcedKeywords(policy: SessionPolicy, secure: boolean): string[] {
  const { tls, maxMessageBytes, mechanisms } = policy;
  return [
    "PIPELINING",
    `SIZE ${maxMessageBytes}`,
    "8BITMIME",
    "BINARYMIME",
    "CHUNKING",
    "SMTPUTF8",
    "ENHANCEDSTATUSCODES",
    "DSN",
    ...(secure || tls !== "required" ? [`AUTH ${mechanisms.join(" ")}`] : []),
    ...(tls !== "unavailable" && !secure ? ["STARTTLS"] : []),
    "HELP",
  ];
}

/** `quit`: the client sends nothing more. `cut-off`: the client may still be sending. */
export type CloseReason = "quit" | "cut-off";

export interface SessionEffects {
  /**
   * `shown` is a line of the client without passwords, or the size of a message that has ended. `command` is null for
   * a message, and for a response to an AUTH challenge.
   */
  recordInput(command: CommandName | null, shown: string | number): void;
  /**
   * Returns the reply if this stage is refused, null to continue. `recipient` is the address of a RCPT command, which
   * is not in the envelope yet; at other stages it is empty.
   */
  refuse(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null;
  reply(reply: Reply): void;
  /** A message begins; its bytes follow by `append`, then `commit` or `abort`. */
  begin(envelope: Envelope): void;
  append(bytes: Buffer): void;
  /** `Session.committed` or `Session.commitFailed` reports the result. */
  commit(): void;
  abort(): void;
  /** `Session.authenticated` reports the result. */
  authenticate(attempt: LoginAttempt): void;
  /** The login was refused. Later mail of the client counts as mail without a login. */
  forgetLogin(): void;
  /** `Session.tlsStarted` reports that TLS has started. */
  startTls(): void;
  /** No further input is taken; close the connection when all replies are sent. */
  close(reason: CloseReason): void;
}
