// The log as the store sees it: a sequence of records, and the raw bytes of messages. It hides
// where these are: in segment files, memory or PostgreSQL. It must not know rows, search or events.
import type { MessageChange } from "../../model/index.ts";
import type { MessageFacts, RawMessage } from "../store.ts";

export type MessageState = Required<MessageChange>;

/** Records are numbered in the order of the log. A message has the number of its record. */
interface Numbered {
  readonly seq: number;
}

export interface MessageRecord extends Numbered, MessageFacts {
  readonly kind: "message";
  readonly id: string;
  readonly inbox: string;
  /** The time of arrival, in milliseconds. */
  readonly time: number;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly tags: readonly string[];
  readonly size: number;
}

/** Holds the whole state of each message after the change, so only the last change of a message counts. */
export interface ChangeRecord extends Numbered {
  readonly kind: "change";
  readonly fields: readonly (keyof MessageChange)[];
  readonly states: readonly (MessageState & { readonly seqs: readonly number[] })[];
}

export interface DeleteRecord extends Numbered {
  readonly kind: "delete";
  readonly seqs: readonly number[];
  /** Inboxes that are empty after this deletion, because they were cleared. */
  readonly cleared?: readonly string[];
}

export interface ClearRecord extends Numbered {
  readonly kind: "clear";
}

/** A setting of the server, such as a token or an inbox. Only the last record of a key counts; null removes the key. */
export interface SettingRecord extends Numbered {
  readonly kind: "setting";
  readonly key: string;
  readonly value: unknown;
}

export type LogRecord = MessageRecord | ChangeRecord | DeleteRecord | ClearRecord | SettingRecord;

/** The position of a record. `body_at` is the offset of the raw bytes in the record; 0 if it has none. */
export interface Place {
  readonly segment: number;
  readonly at: number;
  readonly body_at: number;
  readonly length: number;
}

/** For records that are not in a file. */
export const NO_PLACE: Place = { segment: 0, at: 0, body_at: 0, length: 0 };

/** The raw bytes of a message, or a large body that was written with `openLargeBody`. */
export type Body = Uint8Array | LargeBody;

export interface LargeBody {
  /** The path of the body's file; in PostgreSQL the name of the body. */
  readonly path: string;
  readonly size: number;
  readonly crc: number;
  /** The beginning of the body, for the text index; only if the body is not in a file. */
  readonly beginning?: Uint8Array;
}

/** Writes a large body as it arrives, so that it need not be in memory as a whole. */
export interface LargeBodyWriter {
  append(chunk: Uint8Array): void | Promise<void>;
  finish(): Promise<LargeBody>;
  /** Removes the written bytes. Also called after `finish` if the message could not be stored. */
  abort(): void;
}

/** A record to be written; messages come with their bytes. */
export interface NewRecord {
  readonly record: LogRecord;
  readonly body?: Body;
  /** For a clear: the settings that it keeps, oldest first. */
  readonly kept?: readonly SettingRecord[];
}

/** A record that is in the log. */
export interface LogEntry {
  readonly record: LogRecord;
  readonly place: Place;
  readonly body: Body | null;
  /** The body is large and another node stored it, so only `read` returns it. */
  readonly isUnread?: true;
}

export interface StoredMessage extends Omit<Place, "length"> {
  readonly seq: number;
  readonly id: string;
  readonly size: number;
}

export type KnownMessage = Pick<StoredMessage, "seq" | "id">;

/** Additional methods of a log that several nodes write. */
export interface SharedLog {
  /**
   * Runs `write` when it is this node's turn: no other node writes then, and the listener of
   * `follow` has received everything that was written before. `write` may append once.
   */
  turn(write: () => Promise<void> | null): Promise<void>;
  /**
   * Fulfils when the listener of `follow` has received everything that any node wrote before the call; with
   * `--stale-reads` also if PostgreSQL does not answer.
   */
  refresh(): Promise<void>;
  /**
   * The listener receives the records of other nodes, in the order of the log. If it throws, it gets the same entry
   * again later. `newest` returns the newest message that this node knows.
   */
  follow(listener: (entry: LogEntry) => void, newest: () => KnownMessage | null): void;
  /** The listener is told when this node becomes the leader, and when it no longer is. */
  lead(listener: (isLeader: boolean) => void): void;
}

export interface Log {
  /** Null when only this process writes. */
  readonly shared: SharedLog | null;
  /** The number of the last record, and the newest id ever given to a message. */
  readonly lastSeq: number;
  readonly lastId: string;
  /** Bodies above this size are written with `openLargeBody`. */
  readonly largeBytes: number;
  readonly size: number;
  openLargeBody(): LargeBodyWriter;
  /**
   * Writes all of these records or none. When it returns, or its promise fulfils, they are as safe
   * as `--durability` requires. If there are several records, all must be messages.
   */
  append(records: readonly NewRecord[]): LogEntry[] | Promise<LogEntry[]>;
  /**
   * Reads the entries after `seq` that an index still needs. With "records" a log may leave out
   * the bodies. Bodies are valid only until the next entries are read.
   */
  read(seq: number, needs?: "all" | "records"): AsyncIterable<LogEntry[]>;
  /** Null if the bytes are damaged or missing. */
  body(message: StoredMessage): Promise<RawMessage | null>;
  /** Whether the message's record is not where its row says. Then the row may be wrong, not the message. */
  isMisplaced?(message: StoredMessage): boolean;
  /** Keeps the bytes of a damaged message for a person to look at. Returns the path, or null if that fails. */
  keepAside?(message: StoredMessage): string | null;
  /** Removes the body files of deleted messages, and files that the log no longer needs. */
  free?(deleted: readonly StoredMessage[]): Promise<void>;
  /** Throws or rejects if nothing can be written. */
  check?(): void | Promise<void>;
  close(): Promise<void>;
}

export const bytesMessage = (bytes: Uint8Array): RawMessage => ({
  size: bytes.length,
  bytes: async (start, end) => bytes.subarray(start, end),
  stream: (start, end) => new Blob([bytes.subarray(start, end) as Uint8Array<ArrayBuffer>]).stream(),
  content: (start, end) => new Blob([bytes.subarray(start, end) as Uint8Array<ArrayBuffer>]),
});
