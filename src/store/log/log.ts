// What the store asks of its log. Records are staged, then written together, and the rows follow in the
// same group: either all of a group is in the log and in the rows, or nothing of it is.
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow, RecordRow } from "../rows/row.ts";

export interface LogPosition {
  readonly segment: number;
  readonly at: number;
}

/** A record that says something of messages: bytes that mean nothing once these are rewritten. */
export interface Note {
  readonly segment: number;
  readonly bytes: number;
}

/** Where a message's record lies; body_at 0 means that its bytes have a file of their own. */
export interface Place extends LogPosition {
  readonly body_at: number;
}

export interface NewMessage {
  readonly seq: number;
  readonly id: string;
  readonly time: number;
  readonly sender: string;
  /** A list, as JSON. */
  readonly recipients: string;
  /** A list, as JSON; null without any. */
  readonly tags: string | null;
}

export type Body =
  | { readonly kind: "chunks"; readonly chunks: readonly Uint8Array[]; readonly size: number }
  | { readonly kind: "file"; readonly path: string; readonly size: number; readonly crc: number }
  | { readonly kind: "blocks"; readonly blocks: readonly SharedArrayBuffer[]; readonly size: number };

/** Takes a large body as it arrives, so that it never lies in memory as a whole, or not in one piece. */
export interface BodyFile {
  append(chunk: Uint8Array): void | Promise<void>;
  finish(): Promise<Body>;
  abort(): void;
  /** After `finish`: the body was not taken in. */
  remove(): void;
}

/** How the text index gets at a message: a place in a file, or the bytes where there is no file. */
export type BodySource =
  | { readonly path: string; readonly at: number; readonly size: number }
  | { readonly bytes: Uint8Array }
  | { readonly blocks: readonly SharedArrayBuffer[]; readonly size: number };

/** `lost`: what is left of the message was found damaged, or nothing is left. */
export type Removal = "deleted" | "lost";

export interface Log {
  /** Bytes from which on a body goes to a file of its own. */
  readonly largeBytes: number;
  /** What is written counts only once the disk has confirmed it. */
  readonly isConfirmed: boolean;
  openBodyFile(): BodyFile;

  stageMessage(message: NewMessage, body: Body): Place;
  stageChange(number: number, seqs: readonly number[], change: MessageChange): Note;
  stageDelete(rows: readonly MessageRow[], why: Removal): Note;
  stageClear(): void;
  /** A change of nothing, with so many bytes. */
  stageBlank(number: number, bytes: number): Note;
  /** Writes what is staged; answers with the position just behind it. */
  write(): LogPosition;
  /** Throws when what is written goes nowhere: its file has been removed. `write` finds out, too, a moment later. */
  assertInPlace(): void;
  /** Rejects when the disk does not confirm what was written. */
  confirm(): Promise<void>;
  /** Takes back what was staged or written since the last `settle`. */
  discard(): void;
  /** The group is complete: lets go of what it made superfluous. */
  settle(): void;
  /** Resolves when what was dropped has left the disk; null when there is nothing to wait for. */
  freed(): Promise<void> | null;
  /** Bytes on disk. */
  size(): number;
  close(): Promise<void>;
}

/** The bodies of the messages that are in the log. */
export interface Bodies {
  /** Rejects with DamagedRecord when the bytes are not those that were stored. */
  bytes(row: RecordRow, start: number, end: number): Promise<Uint8Array>;
  stream(row: RecordRow, start: number, end: number): ReadableStream<Uint8Array>;
  /** Of a large body nothing is checked but by `check`, beforehand. */
  blob(row: RecordRow, start: number, end: number): Blob;
  source(row: RecordRow): BodySource;
  /** Rejects with DamagedRecord when there is no such record, or a body that is read in parts is not what was stored. */
  check(row: RecordRow): Promise<void>;
  /** Whether a record of these, all of one segment, is sound, but not where or what its row says. */
  contradicts(rows: readonly RecordRow[]): boolean;
  /** Keeps a copy of what is left of a damaged message; answers with its path, null when that fails. */
  keepAside(row: RecordRow): string | null;
}

export class DamagedRecord extends Error {
  constructor(readonly row: RecordRow) {
    super(`the stored bytes of ${row.id} do not match their checksum`);
    this.name = "DamagedRecord";
  }
}
