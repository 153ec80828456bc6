// The store: a log that is the truth, rows and a text index that follow it. Every change is written to the log and
// then applied; every read sees what was applied before it.
import { Histogram } from "../lib/histogram.ts";
import type { Logger } from "../lib/logger.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import { CommitQueue, type Operation } from "./commit-queue.ts";
import { Draft, type FinishedMessage } from "./draft.ts";
import { asStoreError, closedError, diskFull, isDiskFull } from "./errors.ts";
import type { DiskSpace } from "./log/disk-space.ts";
import type {
  ChangeRecord,
  Log,
  LogEntry,
  LogRecord,
  MessageRecord,
  MessageState,
  NewRecord,
  StoredMessage,
} from "./log/log.ts";
import { Queries } from "./rows/queries.ts";
import { type MessageRow, summaryOf, summaryOfRecord } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import { changeWithin } from "./scope.ts";
import type { Search } from "./search/search.ts";
import type {
  Envelope,
  MailView,
  MessageDraft,
  MessagePage,
  MessageScan,
  OldestMessage,
  OldestQuery,
  RawMessage,
  Scope,
  Setting,
  Store,
  StoreChange,
  StoreFigures,
  StoreStats,
} from "./store.ts";

export interface MailStoreParts {
  readonly log: Log;
  readonly rows: Rows;
  readonly search: Search;
  /** Null in memory. */
  readonly space: DiskSpace | null;
  readonly startScan: () => MessageScan;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Bytes of the index files, for the statistics. */
  readonly indexBytes: () => number;
  /** Wins space back in the background; null where there is none to win. */
  readonly compactor: { poke(): void; run(): Promise<void>; stop(): Promise<void> } | null;
  /** Called last on close. */
  readonly release: () => void;
}

/** An operation in the queue; `answer` is called with the changes. */
interface Change extends Operation {
  /** Null when there is nothing to change. Throws when it is refused. */
  readonly plan: (seq: number) => NewRecord | null;
  readonly answer: (change: StoreChange | null) => void;
}

/** What a record does to the mailbox. */
interface Effect {
  readonly change: StoreChange;
  /** Messages whose files are to be removed; null where the record removes none. */
  readonly deleted: readonly StoredMessage[] | null;
}

interface Planned {
  readonly operation: Change;
  readonly added: NewRecord;
  readonly effect: Effect;
}

/** More are changed in turns, so that others have theirs. */
const CHANGED_PER_TURN = 500;
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];
const FIELDS = ["is_read", "is_starred", "tags"] as const;

export class MailStore implements Store {
  readonly #parts: MailStoreParts;
  readonly #queries: Queries;
  readonly #queue = new CommitQueue<Change>((group) => this.#commit(group));
  readonly #ids: UlidSource;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  /** Commits of drafts that have begun. */
  readonly #arriving = new Set<Promise<void>>();
  readonly #groups = new Histogram(GROUP_SIZES);
  /** The number of the record whose change is told, or of the last. */
  #position: number;
  #closing: Promise<void> | null = null;
  /** Nothing more is written: the log is about to be closed. */
  #isDrained = false;

  constructor(parts: MailStoreParts) {
    this.#parts = parts;
    this.#queries = new Queries(parts);
    this.#ids = new UlidSource(parts.log.lastId);
    this.#position = parts.log.lastSeq;
    parts.log.shared?.follow(
      (entries) =>
        this.#apply(
          entries,
          entries.map(({ record }) => this.#effectOf(record)),
        ),
      () => parts.rows.newest(),
    );
  }

  begin(envelope: Envelope): MessageDraft {
    this.#assertOpen();
    return new Draft(envelope, this.#parts.startScan(), this.#parts.log, {
      insert: (message) => this.#insert(message),
      begun: (commit) => {
        const ended = commit.then(ignore, ignore).finally(() => this.#arriving.delete(ended));
        this.#arriving.add(ended);
      },
    });
  }

  within(scope: Scope): MailView {
    if (scope === null) return this;
    return {
      onChange: (listener) =>
        this.onChange((change) => {
          const seen = changeWithin(scope, change);
          if (seen !== null) listener(seen);
        }),
      list: (query) => this.list(query, scope),
      count: (filter) => this.count(filter, scope),
      get: (id) => this.get(id, scope),
      raw: (id) => this.raw(id, scope),
      tags: () => this.tags(scope),
      stats: () => this.stats(scope),
      oldest: (query) => this.oldest(query, scope),
      walk: (filter, options) => this.walk(filter, options, scope),
      update: (ids, change) => this.update(ids, change, scope),
      delete: (ids) => this.delete(ids, scope),
      deleteMatching: (filter) => this.deleteMatching(filter, scope),
      clear: () => this.clear(scope),
    };
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async list(query: ListQuery, scope: Scope = null): Promise<MessagePage> {
    await this.#upToDate();
    return this.#queries.list(query, scope);
  }

  async count(filter: MessageFilter, scope: Scope = null): Promise<number> {
    await this.#upToDate();
    return this.#queries.count(filter, scope);
  }

  async get(id: string, scope: Scope = null): Promise<MessageSummary | null> {
    await this.#upToDate();
    const row = this.#parts.rows.byId(id, scope);
    return row === null ? null : summaryOf(row);
  }

  async raw(id: string, scope: Scope = null): Promise<RawMessage | null> {
    await this.#upToDate();
    const { rows, log } = this.#parts;
    const row = rows.byId(id, scope);
    if (row === null) return null;
    const raw = await log.body(row);
    if (raw !== null) return raw;
    // Another node may have deleted it since.
    await this.#upToDate();
    if (rows.byId(id) !== null) await this.#setAside(row);
    return null;
  }

  async tags(scope: Scope = null): Promise<{ tag: string; count: number }[]> {
    await this.#upToDate();
    return this.#queries.tags(scope);
  }

  async inboxes(): ReturnType<Store["inboxes"]> {
    await this.#upToDate();
    return this.#parts.rows.inboxes;
  }

  async stats(scope: Scope = null): Promise<StoreStats> {
    await this.#upToDate();
    const { rows, log, indexBytes } = this.#parts;
    const { messages, unread, bytes } = rows.countsOf(scope);
    // What the mail of others takes up is not told.
    const store_bytes = scope === null ? log.size + indexBytes() : bytes;
    return { messages, unread, message_bytes: bytes, store_bytes };
  }

  get position(): number | null {
    return this.#parts.log.shared === null ? null : this.#position;
  }

  refresh(): Promise<void> {
    return this.#upToDate();
  }

  onLead(listener: (isLeader: boolean) => void): void {
    const { shared } = this.#parts.log;
    if (shared === null) listener(true);
    else shared.lead(listener);
  }

  figures(): StoreFigures {
    const { log, search, indexBytes } = this.#parts;
    return {
      logBytes: log.size,
      indexBytes: indexBytes(),
      groups: this.#groups,
      searches: search.times,
    };
  }

  async oldest(query: OldestQuery, scope: Scope = null): Promise<OldestMessage[]> {
    await this.#upToDate();
    return this.#queries.oldest(query, scope);
  }

  async walk(
    filter: MessageFilter,
    { after, limit = 1000 }: { after?: string; limit?: number } = {},
    scope: Scope = null,
  ): Promise<string[]> {
    await this.#upToDate();
    return this.#queries.walk(filter, scope, after, limit);
  }

  async update(
    ids: readonly string[],
    change: MessageChange,
    scope: Scope = null,
  ): Promise<MessageSummary[]> {
    const { rows } = this.#parts;
    const changed: MessageSummary[] = [];
    for (const some of inTurns([...new Set(ids)])) {
      const found = () => some.flatMap((id) => rows.byId(id, scope) ?? []);
      const applied = await this.#change((seq) => this.#planUpdate(seq, found(), change));
      if (applied?.kind === "changed") changed.push(...applied.messages);
      else changed.push(...found().map(summaryOf));
    }
    return changed;
  }

  delete(ids: readonly string[], scope: Scope = null): Promise<string[]> {
    const { rows } = this.#parts;
    return this.#delete([...new Set(ids)], (id) => rows.byId(id, scope));
  }

  async deleteMatching(filter: MessageFilter, scope: Scope = null): Promise<string[]> {
    await this.#upToDate();
    const { rows } = this.#parts;
    return this.#delete(await this.#queries.seqs(filter, scope), (seq) => rows.bySeq(seq));
  }

  async clear(scope: Scope = null): Promise<number> {
    if (scope !== null) return this.#clearInboxes(scope);
    const { rows } = this.#parts;
    const applied = await this.#change((seq) => ({
      record: { kind: "clear", seq },
      kept: rows.settings("").sort((a, b) => a.seq - b.seq),
    }));
    return applied?.kind === "cleared" ? applied.count : 0;
  }

  async set(key: string, value: unknown): Promise<void> {
    const { space } = this.#parts;
    await this.#change((seq) => {
      if (value !== null && space?.isVeryShort) throw diskFull();
      return { record: { kind: "setting", seq, key, value } };
    });
  }

  async settings(prefix: string): Promise<Setting[]> {
    await this.#upToDate();
    return this.#parts.rows.settings(prefix).map(({ key, value }) => ({ key, value }));
  }

  async check(): Promise<void> {
    await this.stats();
    const { space, log } = this.#parts;
    try {
      // It cuts off what a refused group has left, so none may be on its way.
      await this.between(() => log.check());
      if (space?.isShort) throw diskFull();
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async indexed(): Promise<void> {
    await this.#upToDate();
    await this.#parts.search.indexed();
  }

  async compact(): Promise<void> {
    this.#assertOpen();
    await this.#parts.compactor?.run();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Runs a step while no group is being written. */
  between<Result>(run: () => Result): Promise<Result> {
    return this.#queue.between(run);
  }

  async #close(): Promise<void> {
    const { compactor, search, log, rows, space, logger, release } = this.#parts;
    await compactor?.stop();
    space?.stop();
    await Promise.allSettled(this.#arriving);
    await this.#queue.drain();
    this.#isDrained = true;
    await search.close();
    // Whatever was acknowledged is as safe as was asked for: a disk that fails by now takes nothing of it.
    await log.close().catch((error) => logger.warn("log_not_synced", { reason: String(error) }));
    rows.close();
    release();
  }

  #insert({ envelope, facts, tags, inbox, body, size }: FinishedMessage): Promise<MessageSummary> {
    if (this.#isDrained) return Promise.reject(closedError());
    const { space, now } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<MessageSummary>();
    const plan = (seq: number): NewRecord => {
      // The bytes of a large body were booked as they came.
      if (space?.reserveBytes(body instanceof Uint8Array ? size : 0) === false) throw diskFull();
      const { sender, recipients, receivedAt } = envelope;
      const arrived = now().getTime();
      const id = this.#ids.next(arrived);
      const time = Math.min(receivedAt ?? arrived, arrived);
      const { subject, has_attachments, header_from, header_to } = facts;
      const record: MessageRecord = {
        kind: "message",
        seq,
        id,
        inbox,
        time,
        sender,
        recipients,
        subject,
        has_attachments,
        header_from,
        header_to,
        tags,
        size,
      };
      return { record, body };
    };
    const answer = (change: StoreChange | null) => {
      if (change?.kind === "added") resolve(change.message);
    };
    this.#queue.push({ isInsert: true, plan, answer, reject });
    return promise;
  }

  #change(plan: Change["plan"]): Promise<StoreChange | null> {
    this.#assertOpen();
    const { promise, resolve, reject } = Promise.withResolvers<StoreChange | null>();
    this.#queue.push({ isInsert: false, plan, answer: resolve, reject });
    return promise;
  }

  #planUpdate(seq: number, rows: readonly MessageRow[], change: MessageChange): NewRecord | null {
    const fields = FIELDS.filter((field) => change[field] !== undefined);
    if (rows.length === 0 || fields.length === 0) return null;
    if (this.#parts.space?.isVeryShort) throw diskFull();
    const states: (MessageState & { seqs: number[] })[] = [];
    for (const row of rows) {
      const { is_read, is_starred, tags } = { ...summaryOf(row), ...change };
      const state = { is_read, is_starred, tags };
      const last = states.at(-1);
      // Only neighbours share one, so that the record keeps the order that was asked for.
      if (last !== undefined && isSameState(last, state)) last.seqs.push(row.seq);
      else states.push({ ...state, seqs: [row.seq] });
    }
    return { record: { kind: "change", seq, fields, states } };
  }

  async #delete<Key>(keys: readonly Key[], find: (key: Key) => MessageRow | null): Promise<string[]> {
    const ids: string[] = [];
    for (const some of inTurns(keys)) {
      const applied = await this.#change((seq) => {
        const deleted = some.flatMap((key) => find(key) ?? []);
        if (deleted.length === 0) return null;
        return { record: { kind: "delete", seq, seqs: deleted.map((row) => row.seq) } };
      });
      if (applied?.kind === "deleted") ids.push(...applied.ids);
    }
    return ids;
  }

  /** The last turn says that nothing is left. */
  async #clearInboxes(scope: readonly string[]): Promise<number> {
    const { rows } = this.#parts;
    let count = 0;
    for (let isLast = false; !isLast; ) {
      const applied = await this.#change((seq) => {
        const deleted = rows.oldestIn(scope, CHANGED_PER_TURN);
        isLast = deleted.length < CHANGED_PER_TURN;
        const seqs = deleted.map((row) => row.seq);
        return { record: { kind: "delete", seq, seqs, ...(isLast && { cleared: scope }) } };
      });
      if (applied?.kind === "deleted") count += applied.ids.length;
    }
    return count;
  }

  /** A message whose bytes are not those that were stored leaves the mailbox; a copy is kept of what is left. */
  async #setAside(row: MessageRow): Promise<void> {
    const { log, logger } = this.#parts;
    logger.error("message_damaged", { id: row.id, copy: log.keepAside(row) });
    await this.delete([row.id]).catch(ignore);
  }

  /** Waits for the search worker when it is far behind, and for its turn where others write, too. */
  #commit(group: readonly Change[]): Promise<void> | null {
    const { search, log } = this.#parts;
    const room = search.room();
    if (room === null && log.shared === null) return this.#write(group);
    return this.#writeInTurn(group, room);
  }

  async #writeInTurn(group: readonly Change[], room: Promise<void> | null): Promise<void> {
    const { shared } = this.#parts.log;
    try {
      await room;
      await (shared === null ? this.#write(group) : shared.turn(() => this.#write(group)));
    } catch (error) {
      for (const { reject } of group) reject(asStoreError(error));
    }
  }

  #write(group: readonly Change[]): Promise<void> | null {
    const { log } = this.#parts;
    this.#ids.follow(log.lastId);
    const planned: Planned[] = [];
    for (const operation of group) {
      try {
        const added = operation.plan(log.lastSeq + planned.length + 1);
        if (added === null) operation.answer(null);
        else planned.push({ operation, added, effect: this.#effectOf(added.record) });
      } catch (error) {
        operation.reject(asStoreError(error));
      }
    }
    if (planned.length === 0) return null;
    const refuse = (error: unknown) => {
      const named = asStoreError(error);
      for (const { operation } of planned) operation.reject(named);
    };
    const settle = (entries: LogEntry[]) => this.#settle(entries, planned);
    try {
      const written = this.#append(planned.map(({ added }) => added));
      if (written instanceof Promise) return written.then(settle, refuse);
      settle(written);
    } catch (error) {
      refuse(error);
    }
    return null;
  }

  /** On a full disk what frees room gets a second chance, with the room kept for that. */
  #append(records: readonly NewRecord[]): LogEntry[] | Promise<LogEntry[]> {
    const { log, space } = this.#parts;
    const again = (error: unknown) => {
      const kind = records[0]?.record.kind;
      const freesRoom = kind === "delete" || kind === "clear";
      if (!freesRoom || !isDiskFull(error) || !space?.releaseReserve()) throw error;
      return log.append(records);
    };
    try {
      const written = log.append(records);
      return written instanceof Promise ? written.catch(again) : written;
    } catch (error) {
      return again(error);
    }
  }

  /** Answers the operations that are now in the log. */
  #settle(entries: LogEntry[], planned: readonly Planned[]): void {
    const { log, compactor } = this.#parts;
    this.#groups.observe(entries.length);
    this.#apply(
      entries,
      planned.map(({ effect }) => effect),
    );
    for (const { operation, effect } of planned) {
      if (effect.deleted === null) {
        operation.answer(effect.change);
        continue;
      }
      compactor?.poke();
      log.free(effect.deleted).then(() => operation.answer(effect.change), operation.reject);
    }
  }

  /** The only way into the rows, the text index and the ears of those who listen, whichever node wrote the entries. */
  #apply(entries: LogEntry[], effects: readonly Effect[]): void {
    const { rows, search } = this.#parts;
    rows.apply(entries);
    search.apply(entries);
    let at = 0;
    for (const { change } of effects) {
      this.#position = entries[at++]?.record.seq ?? this.#position;
      for (const listener of this.#listeners) listener(change);
    }
  }

  /** Looks at the rows as they are before the record is applied. */
  #effectOf(record: LogRecord): Effect {
    const { rows } = this.#parts;
    switch (record.kind) {
      case "message":
        return {
          change: { kind: "added", message: summaryOfRecord(record), inbox: record.inbox },
          deleted: null,
        };
      case "change":
        return { change: this.#changedBy(record), deleted: null };
      case "delete": {
        const deleted = this.#queries.rowsOf(record.seqs);
        const ids = deleted.map(({ id }) => id);
        const { cleared } = record;
        const inboxes = deleted.map(({ inbox }) => inbox);
        return { change: { kind: "deleted", ids, inboxes, ...(cleared && { cleared }) }, deleted };
      }
      case "setting":
        return { change: { kind: "setting", key: record.key, value: record.value }, deleted: null };
      case "clear":
        return { change: { kind: "cleared", count: rows.state.messages }, deleted: [] };
    }
  }

  #changedBy({ fields, states }: ChangeRecord): StoreChange {
    const messages: MessageSummary[] = [];
    const inboxes: string[] = [];
    for (const { seqs, is_read, is_starred, tags } of states)
      for (const row of this.#queries.rowsOf(seqs)) {
        messages.push({ ...summaryOf(row), is_read, is_starred, tags: [...tags] });
        inboxes.push(row.inbox);
      }
    return { kind: "changed", fields, messages, inboxes };
  }

  /** A read sees everything that any node acknowledged before it. */
  async #upToDate(): Promise<void> {
    this.#assertOpen();
    const { shared } = this.#parts.log;
    if (shared !== null) await shared.refresh();
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw closedError();
  }
}

function* inTurns<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += CHANGED_PER_TURN) yield items.slice(at, at + CHANGED_PER_TURN);
}

const isSameState = (left: MessageState, right: MessageState): boolean =>
  left.is_read === right.is_read &&
  left.is_starred === right.is_starred &&
  JSON.stringify(left.tags) === JSON.stringify(right.tags);

const ignore = () => {};
