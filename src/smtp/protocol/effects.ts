// What a session asks for from outside. The session knows no socket, no clock and no promise: the outcome of an effect
// is reported later by the named method, and until then the session takes no input.
import type { FaultStage } from "../../lib/smtp.ts";
import type { LoginAttempt } from "./auth.ts";
import type { CommandName } from "./command.ts";
import type { NotificationRequest } from "./parameters.ts";
import type { Reply } from "./replies.ts";

export interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
  /** When it arrived before, elsewhere, in milliseconds since 1970. */
  readonly receivedAt?: number | null;
  /** The requested notifications (RFC 3461): ENVID, RET=FULL, and for each recipient NOTIFY and ORCPT. */
  readonly envid?: string | null;
  readonly returnsWhole?: boolean;
  readonly notifications?: ReadonlyMap<string, NotificationRequest>;
}

/** After `quit` the client sends nothing more. A client that was `cut-off` may be in the middle of something. */
export type CloseReason = "quit" | "cut-off";

export interface SessionEffects {
  /** A command arrived; `shown` hides passwords. Null for a line of AUTH, or for `shown` bytes of a message. */
  recordInput(command: CommandName | null, shown: string | number): void;
  /**
   * A refusal by a fault rule, or because the login has ended; null to continue. `recipient` is that of a RCPT command,
   * which is not among those of the envelope yet.
   */
  refuse(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null;
  /** Send this to the client, in order. */
  reply(reply: Reply): void;
  /** A message begins; its bytes follow by `append`, then `commit` or `abort`. */
  begin(envelope: Envelope): void;
  append(bytes: Buffer): void;
  /** The outcome comes by `Session.committed` or `Session.commitFailed`. */
  commit(): void;
  abort(): void;
  /** The outcome comes by `Session.authenticated`. */
  authenticate(attempt: LoginAttempt): void;
  /** The outcome comes by `Session.tlsStarted`. */
  startTls(): void;
  /** No further input is taken; close the connection when all replies are sent. */
  close(reason: CloseReason): void;
}
