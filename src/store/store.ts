// The store as the rest of Mailkeep sees it. Small and async on purpose: nothing outside
// this folder knows of files or SQLite.
import type { Histogram } from "../lib/numbers.ts";
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";

export interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
  /** When it arrived before, elsewhere, in milliseconds since 1970. */
  readonly receivedAt?: number | null;
}

/** A message on its way in. Nothing of it is visible before `commit` has resolved. */
export interface MessageDraft {
  /**
   * Takes the next raw bytes (dot-unstuffed, verbatim). The chunk belongs to the caller: the draft copies what it
   * keeps, so the caller may reuse the chunk as soon as this returns.
   * A returned promise asks the caller to pause until it settles: the disk is behind.
   */
  append(chunk: Uint8Array): void | Promise<void>;
  /**
   * Resolves when the message is in the log and visible to every read: now a 250 may be sent. Its tags are visible at
   * the same time.
   */
  commit(tags?: readonly string[], inbox?: string): Promise<MessageSummary>;
  /** Discards the message. Does nothing after commit, abort or a failure. */
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
  /** If possible a Blob: Bun sends its length and reads the file without our memory. */
  content(start?: number, end?: number): Blob | ReadableStream<Uint8Array>;
}

export interface StoreStats {
  readonly messages: number;
  readonly unread: number;
  readonly message_bytes: number;
  /** Bytes that the store occupies, indexes included. */
  readonly store_bytes: number;
}

/** For metrics: sizes now, and what was counted since the store was opened. */
export interface StoreFigures {
  readonly logBytes: number;
  readonly indexBytes: number;
  /** Records that were written together. */
  readonly groups: Histogram;
  /** Seconds that the text index took to answer. */
  readonly searches: Histogram;
}

export interface OldestQuery {
  readonly keepStarred: boolean;
  /** Only what arrived before this instant. */
  readonly before?: Date;
  readonly limit: number;
}

export type OldestMessage = Pick<MessageSummary, "id" | "size">;

/** One change of the mailbox or of a setting, as it was applied. */
export type StoreChange =
  | { readonly kind: "added"; readonly message: MessageSummary; readonly inbox: string }
  | {
      readonly kind: "changed";
      readonly fields: readonly (keyof MessageChange)[];
      readonly messages: readonly MessageSummary[];
      /** Where each of them is. */
      readonly inboxes: readonly string[];
    }
  | {
      readonly kind: "deleted";
      readonly ids: readonly string[];
      /** Where each of them was. */
      readonly inboxes: readonly string[];
      /** Inboxes in which nothing is left, because they were cleared. */
      readonly cleared?: readonly string[];
    }
  | { readonly kind: "cleared"; readonly count: number }
  | { readonly kind: "setting"; readonly key: string; readonly value: unknown };

/** A fact about the server that outlives mail, such as a token: any JSON below a key. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
}

/** The inboxes whose mail somebody may see; null for all. */
export type Scope = readonly string[] | null;

export const isWithin = (scope: Scope, inbox: string): boolean => scope === null || scope.includes(inbox);

/** The mail of all inboxes or of some. Other mail does not exist for it. */
export interface MailView {
  /**
   * Gets every change in the order of the log, before the client that asked for it is answered. Returns the function
   * that ends it.
   */
  onChange(listener: (change: StoreChange) => void): () => void;

  list(query: ListQuery): Promise<MessagePage>;
  count(filter: MessageFilter): Promise<number>;
  get(id: string): Promise<MessageSummary | null>;
  raw(id: string): Promise<RawMessage | null>;
  /** Every tag in use, sorted, with the number of messages that carry it. */
  tags(): Promise<{ tag: string; count: number }[]>;
  stats(): Promise<StoreStats>;
  oldest(query: OldestQuery): Promise<OldestMessage[]>;
  /**
   * Ids in arrival order (oldest first) that match, from just after `after`; for walking the whole mailbox.
   * An empty answer means that there are no more; a short one does not.
   */
  walk(filter: MessageFilter, options?: { after?: string; limit?: number }): Promise<string[]>;

  /** Applies one change to many, in the order asked; ids that name nothing are left out of the answer. */
  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]>;
  /** Removes these and returns the ids that existed. */
  delete(ids: readonly string[]): Promise<string[]>;
  /** Removes all that match and returns their ids, oldest first. */
  deleteMatching(filter: MessageFilter): Promise<string[]>;
  /** Removes all mail and returns the number of messages. */
  clear(): Promise<number>;
}

export interface Store extends MailView {
  begin(envelope: Envelope): MessageDraft;
  within(scope: Scope): MailView;
  inboxes(): Promise<ReadonlyMap<string, { readonly messages: number; readonly unread: number }>>;
  figures(): StoreFigures;
  /**
   * If several nodes share the log: the number of the record whose change is being reported, or of the last one.
   * Otherwise null.
   */
  readonly position: number | null;
  /** Resolves when this node knows everything that any node had acknowledged before. */
  refresh(): Promise<void>;
  /** With several nodes one is the leader. The listener is told whether it is this one, now and when it changes. */
  onLead(listener: (isLeader: boolean) => void): void;
  /** Saves a setting; null removes it. */
  set(key: string, value: unknown): Promise<void>;
  /** The settings whose keys begin so, in the order of the keys. */
  settings(prefix: string): Promise<Setting[]>;

  /** Rejects with the reason if mail cannot be read or stored. */
  check(): Promise<void>;
  /** Resolves when the text of everything stored so far can be searched. */
  indexed(): Promise<void>;
  /** Frees the space of deleted messages now. Normally this happens in the background. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** What must be known of a message before it is stored. A scan that is passed to the store finds it. */
export interface MessageFacts {
  readonly subject: string;
  readonly has_attachments: boolean;
  /** The fields From and To: names and addresses, decoded and bounded. */
  readonly header_from: string;
  readonly header_to: string;
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

/** The message was deleted, or set aside, since it was found. */
export const isGone = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "unknown_message";
