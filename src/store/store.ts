// The store as the rest of Mailkeep sees it. Small and async on purpose: nothing outside
// this folder knows of files or SQLite.
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";

export interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
}

/** A message on its way in. Nothing of it is visible before `commit` has resolved. */
export interface MessageDraft {
  /**
   * Takes the next raw bytes (dot-unstuffed, verbatim). The draft may keep a reference to the chunk.
   * A returned promise asks the caller to pause until it settles: the store is behind. When it fulfils,
   * the draft refers to no chunk any more.
   */
  append(chunk: Uint8Array): void | Promise<void>;
  /**
   * Resolves when bytes, envelope and index row are in place: the moment a 250 may be sent, once the message is
   * `searchable` as well. The tags are there from the first moment the message is.
   */
  commit(tags?: readonly string[]): Promise<MessageSummary>;
  /** Leaves nothing behind. Harmless after commit, abort or a failure. */
  abort(): void;
}

export interface MessagePage {
  readonly messages: MessageSummary[];
  /** All messages that match the filter, before pagination. */
  readonly total: number;
  /** Id of the last message of the page when more remain, otherwise null. */
  readonly next_cursor: string | null;
}

/** The raw bytes of one stored message; ranges are half-open. */
export interface RawMessage {
  readonly size: number;
  bytes(start?: number, end?: number): Promise<Uint8Array>;
  stream(start?: number, end?: number): ReadableStream<Uint8Array>;
  /** Of known size, and read only when it is used: a large one from its file, past our memory. */
  blob(start?: number, end?: number): Blob;
}

export interface StoreStats {
  readonly messages: number;
  readonly unread: number;
  /** Bytes of raw mail that is alive. */
  readonly message_bytes: number;
  /** Bytes that the store occupies, indexes included. */
  readonly store_bytes: number;
}

/** For retention: the oldest messages, those that may go first. */
export interface OldestQuery {
  readonly keepStarred: boolean;
  /** Only what arrived before this instant. */
  readonly before?: Date;
  readonly limit: number;
}

export interface OldestMessage {
  readonly id: string;
  readonly size: number;
}

/** Hears of every turn in the order of the changes, also when a later turn fails. */
export type OnDeleted = (ids: readonly string[]) => void;

export interface Store {
  begin(envelope: Envelope): MessageDraft;
  /**
   * Null unless a message just committed should be acknowledged later: as long as its text is on the way into the
   * index, searches would have to wait for it.
   */
  searchable(message: MessageSummary): Promise<void> | null;

  list(query: ListQuery): Promise<MessagePage>;
  count(filter: MessageFilter): Promise<number>;
  get(id: string): Promise<MessageSummary | null>;
  raw(id: string): Promise<RawMessage | null>;
  /** Every tag in use, sorted, with the number of messages that carry it. */
  tags(): Promise<{ tag: string; count: number }[]>;
  stats(): Promise<StoreStats>;
  /** The oldest messages that retention may remove, oldest first. */
  oldest(query: OldestQuery): Promise<OldestMessage[]>;

  /** Applies one change to many; answers with them in the order asked, without ids that name nothing. */
  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]>;
  /** Removes these, many in turns; answers with the ids that were there. */
  delete(ids: readonly string[], onDeleted?: OnDeleted): Promise<string[]>;
  /** Removes all that match, many in turns; answers with their ids, oldest first. */
  deleteMatching(filter: MessageFilter, onDeleted?: OnDeleted): Promise<string[]>;
  /** Removes everything; answers with the number of messages removed. */
  clear(): Promise<number>;
  /**
   * Ids in arrival order (oldest first) that match, from just after `after`; for walking the whole mailbox. Fewer than
   * `limit` do not mean that these are the last: some may have been deleted meanwhile. None do.
   */
  walk(filter: MessageFilter, options?: { after?: string; limit?: number }): Promise<string[]>;

  /** Rejects with the reason when no mail can be read, or none be taken in. */
  check(): Promise<void>;
  /** Wins back the space of deleted messages now; it happens by itself in the background. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** What the accept path must know of a message; found by a scan that the store is given, not by the store. */
export interface MessageFacts {
  readonly subject: string;
  readonly has_attachments: boolean;
}

/** Fed with the raw bytes as they come, in any pieces. */
export interface MessageScan {
  push(chunk: Uint8Array): void;
  finish(): MessageFacts;
}

export type StoreErrorCode =
  | "unknown_cursor"
  | "unknown_message"
  | "disk_full"
  | "disk_failing"
  | "io_error"
  | "read_only"
  | "data_dir_locked"
  | "data_dir_unusable"
  | "format_too_new"
  | "closed";

export class StoreError extends Error {
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "StoreError";
  }
}

/** The message was deleted, or set aside, since it was found. */
export const isGone = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "unknown_message";

export function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}
