// The store as the rest of Mailkeep sees it. Nothing outside this folder knows the store's files or SQLite.
import type { Histogram } from "../lib/numbers.ts";
import type { Envelope } from "../lib/smtp.ts";
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";

/** A message that is arriving. It is invisible until it is committed. */
export interface MessageDraft {
  /**
   * Takes the next raw bytes. The draft does not keep the chunk, so the caller may reuse it as soon as this returns.
   * If the result is a promise, the caller should wait for it before the next call.
   */
  append(chunk: Uint8Array): void | Promise<void>;
  /** Resolves when the log has the message and every read sees it. A 250 may be sent only then. */
  commit(tags?: readonly string[], inbox?: string): Promise<MessageSummary>;
  /** Discards the message. May also be called after `commit`, `abort` or a failure. */
  abort(): void;
}

export interface MessagePage {
  readonly messages: MessageSummary[];
  /** How many messages match the filter on all pages. */
  readonly total: number;
  /** The id of the last message of the page if more follow, otherwise null. */
  readonly next_cursor: string | null;
}

/** The raw bytes of a stored message. `end` is exclusive. */
export interface RawMessage {
  readonly size: number;
  bytes(start?: number, end?: number): Promise<Uint8Array>;
  stream(start?: number, end?: number): ReadableStream<Uint8Array>;
  /** A Blob if possible: Bun sends its length and does not load the file into memory. */
  content(start?: number, end?: number): Blob | ReadableStream<Uint8Array>;
}

export interface StoreStats {
  readonly messages: number;
  readonly unread: number;
  readonly message_bytes: number;
  /** Bytes that the store occupies, indexes included. A view of some inboxes shows the bytes of their mail instead. */
  readonly store_bytes: number;
}

/** For metrics: current sizes, and counts since the store was opened. */
export interface StoreFigures {
  readonly logBytes: number;
  readonly indexBytes: number;
  /** How many records were written together. */
  readonly groups: Histogram;
  /** How many seconds the text index took to answer. */
  readonly searches: Histogram;
}

export interface OldestQuery {
  readonly keepStarred: boolean;
  /** Only messages that arrived before this time. */
  readonly before?: Date;
  readonly limit: number;
}

export type OldestMessage = Pick<MessageSummary, "id" | "size">;

/** An applied change of the mailbox or of a setting. */
export type StoreChange =
  | { readonly kind: "added"; readonly message: MessageSummary; readonly inbox: string }
  | {
      readonly kind: "changed";
      readonly fields: readonly (keyof MessageChange)[];
      readonly messages: readonly MessageSummary[];
      /** The inbox of each message. */
      readonly inboxes: readonly string[];
    }
  | {
      readonly kind: "deleted";
      readonly ids: readonly string[];
      /** The inbox of each message. */
      readonly inboxes: readonly string[];
      /** Inboxes that are empty now, because they were cleared. */
      readonly cleared?: readonly string[];
    }
  | { readonly kind: "cleared"; readonly count: number }
  | { readonly kind: "setting"; readonly key: string; readonly value: unknown };

/** A fact about the server, such as a token, that stays when mail is deleted. The value is any JSON. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
}

/** The inboxes that a caller may see; null for all. */
export type Scope = readonly string[] | null;

export const isWithin = (scope: Scope, inbox: string): boolean => scope === null || scope.includes(inbox);

/** The mail of all inboxes or of some. Other mail cannot be seen or changed through a view. */
export interface MailView {
  /**
   * The listener gets all changes in this view, in the order of the log. It gets each one before
   * the client that asked for it is answered. Returns a function that removes the listener.
   */
  onChange(listener: (change: StoreChange) => void): () => void;

  list(query: ListQuery): Promise<MessagePage>;
  count(filter: MessageFilter): Promise<number>;
  get(id: string): Promise<MessageSummary | null>;
  raw(id: string): Promise<RawMessage | null>;
  /** All tags in use, sorted, with the number of messages that have them. */
  tags(): Promise<{ tag: string; count: number }[]>;
  stats(): Promise<StoreStats>;
  oldest(query: OldestQuery): Promise<OldestMessage[]>;
  /** Ids of matching messages after `after`, oldest first. Only an empty answer means that there are no more. */
  walk(filter: MessageFilter, options?: { after?: string; limit?: number }): Promise<string[]>;
  /**
   * Which of these messages, the newest ones, match at the time of the call, even if they are changed or deleted right
   * after it. Words are compared later while the text index catches up with the log, for example after a start.
   */
  matching(filter: MessageFilter, ids: readonly string[]): Promise<string[]>;

  /** Applies a change to many messages. The answer is in the order of the ids, without unknown messages. */
  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]>;
  /** Returns the ids of the messages that existed. */
  delete(ids: readonly string[]): Promise<string[]>;
  /** Returns the ids of the deleted messages, oldest first. */
  deleteMatching(filter: MessageFilter): Promise<string[]>;
  /** Deletes all mail and returns the number of messages. */
  clear(): Promise<number>;
}

export interface Store extends MailView {
  begin(envelope: Envelope): MessageDraft;
  within(scope: Scope): MailView;
  inboxes(): Promise<ReadonlyMap<string, { readonly messages: number; readonly unread: number }>>;
  figures(): StoreFigures;
  /**
   * The number of the last applied record. While a listener runs, the number of the record that the
   * listener is told about. Null without PostgreSQL.
   */
  readonly position: number | null;
  /**
   * Resolves when this node knows everything that any node had acknowledged before. With `--stale-reads` it also
   * resolves if PostgreSQL does not answer.
   */
  refresh(): Promise<void>;
  /** Tells the listener when this node becomes the leader, and when it no longer is. A single node leads at once. */
  onLead(listener: (isLeader: boolean) => void): void;
  /** Saves a setting; null removes it. */
  set(key: string, value: unknown): Promise<void>;
  /** The settings whose keys begin with the prefix, in the order of the keys. */
  settings(prefix: string): Promise<Setting[]>;

  /** Rejects with the reason if mail cannot be read or stored. */
  check(): Promise<void>;
  /** Resolves when the text of everything stored so far can be searched. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

/** The facts that a scan finds in a message before it is stored. */
export interface MessageFacts {
  readonly subject: string;
  readonly has_attachments: boolean;
  /** The fields From and To, decoded and cut off at a limit. */
  readonly header_from: string;
  readonly header_to: string;
}

/** Gets the raw bytes as they arrive, in pieces of any size. */
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
  | "index_damaged"
  | "read_only"
  | "data_dir_locked"
  | "data_dir_unusable"
  | "format_too_new"
  | "log_incomplete"
  | "database_failing"
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
