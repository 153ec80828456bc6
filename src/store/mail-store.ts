// The store: a log that is the truth, rows and a text index that follow it.
// Every change passes the commit queue; every read sees what was acknowledged before it.

import { isoTime } from "../lib/iso-time.ts";
import type { Logger } from "../lib/logger.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import { CommitQueue, Refused } from "./commit-queue.ts";
import { Draft, type Finished } from "./draft.ts";
import { asStoreError, isIndexDamage } from "./errors.ts";
import { DamagedRecord, type Log } from "./log/log.ts";
import { type MessageRow, summaryOf } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import type { SearchIndex } from "./search/search-index.ts";
import {
  type Envelope,
  type MessageDraft,
  type MessagePage,
  type MessageScan,
  type OldestMessage,
  type OldestQuery,
  type RawMessage,
  type Store,
  StoreError,
  type StoreStats,
} from "./store.ts";

export interface MailStoreParts {
  readonly log: Log;
  readonly rows: Rows;
  readonly search: SearchIndex;
  readonly startScan: () => MessageScan;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Bytes of the index files, for the statistics. */
  readonly indexBytes: () => number;
  /** Messages were deleted: there may be space to win back. */
  readonly freed: () => void;
  readonly compact: () => Promise<void>;
  /** Throws the rows away and makes them anew from the log. */
  readonly rebuildRows: () => Promise<void>;
  /** Whether a message of this size may be written and still leave room for deleting. */
  readonly hasRoomFor: (bytes: number) => boolean;
  /** Whether flags and tags may change and still leave room for deleting. */
  readonly hasRoomForChanges: () => boolean;
  /** Whether mail is refused for want of room. */
  readonly isShortOfRoom: () => boolean;
  /** Makes room on a full disk; false when there is none to make. */
  readonly giveUpReserve: () => boolean;
  /** Takes that room again, before others can. */
  readonly takeReserve: () => void;
  /** Ends what runs in the background, first on close. */
  readonly quiesce: () => Promise<void>;
  /** Called last on close. */
  readonly release: () => void;
}

export class MailStore implements Store {
  readonly #parts: MailStoreParts;
  readonly #queue: CommitQueue;
  readonly #ids: UlidSource;
  /** What the text index must be told once the group is in the log and the rows. */
  #afterCommit: (() => void)[] = [];
  /** The group in hand may use the room kept for deleting, so it takes in no mail. */
  #onReserve = false;
  /** The group in hand deletes something. */
  #frees = false;
  /** The group in hand does nothing but take in messages. */
  #onlyInserts = true;
  /** Large bodies of committed drafts that are still being written. */
  readonly #bodies = new Set<Promise<void>>();
  /** The rows are being rebuilt. */
  #healing: Promise<void> | null = null;
  #closed = false;
  #closing: Promise<void> | null = null;

  constructor(parts: MailStoreParts) {
    this.#parts = parts;
    this.#ids = new UlidSource(parts.rows.state.last_id);
    this.#queue = new CommitQueue((changes) => this.#commit(changes));
  }

  begin(envelope: Envelope): MessageDraft {
    this.#assertOpen();
    return new Draft(envelope, this.#parts.startScan(), this.#parts.log, {
      insert: (message, answer) => this.#queue.push(() => this.#insert(message), answer),
      waitFor: (body) => {
        const settled = body.then(ignore, ignore).finally(() => this.#bodies.delete(settled));
        this.#bodies.add(settled);
      },
    });
  }

  list({ filter, limit, before, offset = 0 }: ListQuery): Promise<MessagePage> {
    return this.#read(async ({ rows, search }) => {
      const range = before === undefined ? {} : { before: this.#cursor(before) };
      if (isBlank(filter.q)) {
        return pageOf(rows.page(filter, range, limit + 1, offset), limit, rows.count(filter));
      }
      const found = await search.find(filter.q, filter, range, limit + 1, offset);
      return pageOf(rows.rowsOf(found.seqs), limit, found.total);
    });
  }

  count(filter: MessageFilter): Promise<number> {
    return this.#read(async ({ rows, search }) => {
      if (isBlank(filter.q)) return rows.count(filter);
      return (await search.find(filter.q, filter, {}, 0, 0)).total;
    });
  }

  get(id: string): Promise<MessageSummary | null> {
    return this.#read(({ rows }) => {
      const row = rows.byId(id);
      return row === null ? null : summaryOf(row);
    });
  }

  async raw(id: string): Promise<RawMessage | null> {
    const { log } = this.#parts;
    const seq = await this.#read(({ rows }) => rows.seqOf(id));
    if (seq === null || !(await this.isSound(seq))) return null;
    // Looked up anew by each read: a compaction may have moved the bytes meanwhile.
    const row = () => this.#readable(seq);
    const { size } = row();
    return {
      size,
      bytes: async (start = 0, end = size) => this.#sound(() => log.bytes(row(), start, end)),
      stream: (start = 0, end = size) => this.#sound(() => log.stream(row(), start, end)),
    };
  }

  tags(): Promise<{ tag: string; count: number }[]> {
    return this.#read(({ rows }) => rows.tags());
  }

  stats(): Promise<StoreStats> {
    return this.#read(({ rows, log, indexBytes }) => {
      const { messages, unread, bytes } = rows.state;
      return { messages, unread, message_bytes: bytes, store_bytes: log.size() + indexBytes() };
    });
  }

  oldest({ keepStarred, before, limit }: OldestQuery): Promise<OldestMessage[]> {
    return this.#read(({ rows }) =>
      rows
        .oldest(keepStarred, before, limit)
        .map(({ id, size, created }) => ({ id, size, created_at: new Date(created) })),
    );
  }

  walk(
    filter: MessageFilter,
    { after, limit = 1000 }: { after?: string; limit?: number } = {},
  ): Promise<string[]> {
    return this.#read(async ({ rows, search }) => {
      const range = after === undefined ? {} : { after: rows.lastSeqUpTo(after) };
      const seqs = isBlank(filter.q)
        ? rows.seqs(filter, range, limit)
        : (await search.all(filter.q, filter, range)).slice(0, limit);
      return rows.rowsOf(seqs).map(({ id }) => id);
    });
  }

  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    this.#assertOpen();
    return this.#queue.push(() => this.#update(ids, change));
  }

  delete(ids: readonly string[]): Promise<string[]> {
    this.#assertOpen();
    return this.#deleteInTurns(() => this.#rowsById(ids).map(({ seq }) => seq), ids.length);
  }

  deleteMatching(filter: MessageFilter): Promise<string[]> {
    this.#assertOpen();
    const { rows, search } = this.#parts;
    const { q } = filter;
    if (isBlank(q)) return this.#deleteInTurns(() => rows.seqs(filter, {}, -1), Number.POSITIVE_INFINITY);
    const answer = Promise.withResolvers<string[]>();
    search
      .all(q, filter, {})
      .then((seqs) => this.#deleteInTurns(() => seqs, seqs.length, answer))
      .catch(answer.reject);
    return answer.promise;
  }

  clear(): Promise<number> {
    this.#assertOpen();
    return this.#queue.push(() => this.#clear());
  }

  compact(): Promise<void> {
    this.#assertOpen();
    return this.#parts.compact();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    await this.#parts.quiesce();
    await Promise.all(this.#bodies);
    await this.#queue.drain();
    await this.#parts.search.close();
    await this.#parts.log.close();
    this.#parts.rows.finish();
    this.#parts.release();
  }

  /** Runs a step while no group is being committed. */
  between<Result>(run: () => Result): Promise<Result> {
    return this.#queue.between(run);
  }

  /** Takes damaged messages out of the mailbox; the log keeps a copy of what is left of them. */
  setAside(damaged: readonly MessageRow[]): Promise<string[]> {
    return this.#queue.push(() => this.#delete(this.#parts.rows.rowsOf(damaged.map(({ seq }) => seq))));
  }

  /** False when the message is gone, or damaged: then it has been reported and leaves the mailbox. */
  async isSound(seq: number): Promise<boolean> {
    try {
      await this.#sound(() => this.#parts.log.check(this.#readable(seq)));
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === "unknown_message") return false;
      throw error;
    }
  }

  /** Every read passes here. An index that turns out to be damaged is rebuilt, and the question asked again. */
  async #read<Result>(ask: (parts: MailStoreParts) => Result | Promise<Result>): Promise<Result> {
    this.#assertOpen();
    if (this.#healing !== null) await this.#healing;
    try {
      return await ask(this.#parts);
    } catch (error) {
      if (!isIndexDamage(error)) throw error;
      await this.#heal(error);
      return ask(this.#parts);
    }
  }

  #heal(cause: unknown): Promise<void> {
    this.#parts.logger.error("index_damaged", { reason: String(cause) });
    this.#healing ??= this.#queue
      .hold(() => this.#parts.rebuildRows())
      .finally(() => {
        this.#healing = null;
      });
    return this.#healing;
  }

  /** What a group deletes gets a second chance on a full disk, with the room kept for that. */
  #commit(changes: readonly (() => unknown)[]) {
    try {
      return this.#attempt(changes);
    } catch (error) {
      if (isIndexDamage(error)) this.#heal(error).catch(ignore);
      const mayRetry = this.#frees && asStoreError(error).code === "disk_full";
      if (!mayRetry || !this.#parts.giveUpReserve()) throw asStoreError(error);
    }
    this.#onReserve = true;
    try {
      return this.#attempt(changes);
    } catch (error) {
      throw asStoreError(error);
    } finally {
      this.#onReserve = false;
      this.#parts.takeReserve();
    }
  }

  /** The rows are applied first, uncommitted; a log that cannot be written takes them back. */
  #attempt(changes: readonly (() => unknown)[]) {
    const { log, rows } = this.#parts;
    this.#afterCommit = [];
    this.#frees = false;
    this.#onlyInserts = true;
    try {
      rows.begin();
      const results = changes.map((apply) => apply());
      rows.commit(log.write(), this.#onlyInserts ? "soon" : "now");
      log.settle();
      this.#tellAfterCommit();
      return { results, durable: log.sync() };
    } catch (error) {
      rows.rollback();
      log.discard();
      throw error;
    }
  }

  /** The group stands whatever happens here: the text index and the disk's space follow in their own time. */
  #tellAfterCommit(): void {
    for (const tell of this.#afterCommit) {
      try {
        tell();
      } catch (error) {
        this.#parts.logger.error("store_follow_up_failed", { reason: String(error) });
      }
    }
  }

  #insert({ envelope, facts, tags, body }: Finished): MessageSummary | Refused {
    const written = body.kind === "file" ? 0 : body.size;
    if (this.#onReserve || !this.#parts.hasRoomFor(written))
      return new Refused(new StoreError("disk_full", "the disk is full"));
    const { log, rows, search } = this.#parts;
    const time = this.#parts.now().getTime();
    const seq = rows.state.last_seq + 1;
    const id = this.#ids.next(time);
    const { sender } = envelope;
    const recipients = JSON.stringify(envelope.recipients);
    const tagList = tags.length === 0 ? null : JSON.stringify(tags);
    const { segment, at, body_at } = log.stageMessage(
      { seq, id, time, sender, recipients, tags: tagList },
      body,
    );
    const row: MessageRow = {
      seq,
      id,
      created: time,
      size: body.size,
      segment,
      at,
      body_at,
      is_read: 0,
      is_starred: 0,
      has_attachments: Number(facts.has_attachments),
      sender,
      recipients,
      subject: facts.subject,
      tags: tagList,
    };
    rows.insert(row);
    this.#afterCommit.push(() => search.add(row));
    return {
      id,
      sender,
      recipients: [...envelope.recipients],
      subject: facts.subject,
      size: body.size,
      has_attachments: facts.has_attachments,
      is_read: false,
      is_starred: false,
      tags: [...tags],
      created_at: isoTime(time),
    };
  }

  #update(ids: readonly string[], change: MessageChange): MessageSummary[] | Refused {
    const { log, rows } = this.#parts;
    const found = this.#rowsById(ids);
    if (found.length === 0 || Object.keys(change).length === 0) return found.map(summaryOf);
    if (!this.#parts.hasRoomForChanges()) return new Refused(new StoreError("disk_full", "the disk is full"));
    this.#onlyInserts = false;
    log.stageChange(
      found.map(({ seq }) => seq),
      change,
    );
    return found.map((row) => summaryOf(rows.change(row, change)));
  }

  /** Few are deleted in one change; many in several, so that others get their turn in between. */
  #deleteInTurns(
    find: () => number[],
    atMost: number,
    answer: PromiseWithResolvers<string[]> = Promise.withResolvers(),
  ): Promise<string[]> {
    const { rows } = this.#parts;
    const perTurn = this.#parts.isShortOfRoom() ? DELETED_PER_SHORT_TURN : DELETED_PER_TURN;
    const deleteAll = (seqs: readonly number[]) => this.#delete(rows.rowsOf(seqs));
    if (atMost <= perTurn) return this.#queue.push(() => deleteAll(find()), answer);
    const deleteMany = async (seqs: readonly number[]) => {
      const deleted: string[] = [];
      let at = 0;
      for (; seqs.length - at > perTurn; at += perTurn) {
        const some = seqs.slice(at, at + perTurn);
        deleted.push(...(await this.#queue.push(() => deleteAll(some))));
      }
      // The last change gives the answer, so that it keeps its place among the answers.
      this.#queue.push(() => [...deleted, ...deleteAll(seqs.slice(at))], answer);
    };
    deleteMany(find()).catch(answer.reject);
    return answer.promise;
  }

  #delete(found: readonly MessageRow[]): string[] {
    if (found.length === 0) return [];
    const { log, rows, search } = this.#parts;
    this.#frees = true;
    this.#onlyInserts = false;
    log.stageDelete(found);
    for (const row of found) rows.delete(row);
    const seqs = found.map(({ seq }) => seq);
    this.#afterCommit.push(() => {
      search.remove(seqs);
      this.#parts.freed();
    });
    return found.map(({ id }) => id);
  }

  #clear(): number {
    const { log, rows, search } = this.#parts;
    const { messages } = rows.state;
    this.#frees = true;
    this.#onlyInserts = false;
    log.stageClear();
    rows.clear();
    this.#afterCommit.push(() => {
      search.clear();
      rows.shrink();
    });
    return messages;
  }

  #rowsById(ids: readonly string[]): MessageRow[] {
    const found: MessageRow[] = [];
    for (const id of new Set(ids)) {
      const row = this.#parts.rows.byId(id);
      if (row !== null) found.push(row);
    }
    return found;
  }

  /** Bytes that fail their checksum are never served: the message is set aside. */
  #sound<Result>(read: () => Result): Result {
    const report = (error: unknown): never => {
      if (!(error instanceof DamagedRecord)) throw asStoreError(error);
      this.#parts.logger.error("message_damaged", {
        id: error.row.id,
        segment: error.row.segment,
        at: error.row.at,
        copy: this.#parts.log.keepAside(error.row),
      });
      void this.setAside([error.row]).catch(ignore);
      throw new StoreError("unknown_message", "the message is damaged and was set aside", { cause: error });
    };
    try {
      const result = read();
      return result instanceof Promise ? (result.catch(report) as Result) : result;
    } catch (error) {
      return report(error);
    }
  }

  #readable(seq: number): MessageRow {
    this.#assertOpen();
    const row = this.#parts.rows.bySeq(seq);
    if (row === null) throw new StoreError("unknown_message", "the message has been removed");
    return row;
  }

  #cursor(id: string): number {
    const seq = this.#parts.rows.seqOf(id);
    if (seq === null) throw new StoreError("unknown_cursor", "the cursor names no stored message");
    return seq;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError("closed", "the store is closed");
  }
}

const isBlank = (q: string | undefined): q is undefined => q === undefined || q.trim() === "";

const DELETED_PER_TURN = 500;
/** Without much room: what a turn writes to the index is freed before the next. */
const DELETED_PER_SHORT_TURN = 25;
const ignore = () => {};

/** `found` holds one more than the page when there is a next one. */
function pageOf(found: readonly MessageRow[], limit: number, total: number): MessagePage {
  const messages = found.slice(0, limit).map(summaryOf);
  return { messages, total, next_cursor: found.length > limit ? (messages.at(-1)?.id ?? null) : null };
}
