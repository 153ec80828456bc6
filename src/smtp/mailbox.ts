// What the SMTP server needs of the rest of Mailkeep: a place to put mail. The inbox is one.
import type { Envelope } from "./protocol/index.ts";

export interface Mailbox {
  receive(envelope: Envelope): IncomingMessage;
}

/** A message on its way in. Nothing of it is visible before `commit` has resolved. */
export interface IncomingMessage {
  /** Copies what it keeps: the chunk belongs to the caller. A returned promise asks for a pause until it settles. */
  append(chunk: Uint8Array): void | Promise<void>;
  commit(): Promise<StoredMessage>;
  /** Leaves nothing behind. */
  abort(): void;
}

export interface StoredMessage {
  readonly id: string;
  readonly size: number;
}
