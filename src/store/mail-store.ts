// The store: a log that is the truth, rows and a text index that follow it. Every change is written to the log and
// then applied; every read sees what was applied before it.
import type { Logger } from "../lib/logger.ts";
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import { Draft } from "./draft.ts";
import { asStoreError, closedError, diskFull } from "./errors.ts";
import type { MessageState, NewRecord } from "./log/log.ts";
import { Queries } from "./rows/queries.ts";
import { type MessageRow, summaryOf } from "./rows/row.ts";
import {
  type Envelope,
  isWithin,
  type MailView,
  type MessageDraft,
  type MessagePage,
  type MessageScan,
  type OldestMessage,
  type OldestQuery,
  type RawMessage,
  type Scope,
  type Setting,
  type Store,
  type StoreChange,
  type StoreFigures,
  type StoreStats,
} from "./store.ts";
import { type Change, Writer, type WriterParts } from "./writer.ts";

export interface MailStoreParts extends WriterParts {
  readonly startScan: () => MessageScan;
  readonly logger: Logger;
  /** Bytes of the index files, for the statistics. */
  readonly indexBytes: () => number;
  /** Wins space back in the background; null where there is none to win. */
  readonly compactor: { poke(): void; run(): Promise<void>; stop(): Promise<void> } | null;
  /** Called last on close. */
  readonly release: () => void;
}

/** More are changed in turns, so that others have theirs. */
const CHANGED_PER_TURN = 500;
const FIELDS = ["is_read", "is_starred", "tags"] as const;

export class MailStore implements Store {
  readonly #parts: MailStoreParts;
  readonly #queries: Queries;
  readonly #writer: Writer;
  /** Commits of drafts that have begun. */
  readonly #arriving = new Set<Promise<void>>();
  #closing: Promise<void> | null = null;

  constructor(parts: MailStoreParts) {
    this.#parts = parts;
    this.#queries = new Queries(parts);
    this.#writer = new Writer(parts, this.#queries);
  }

  begin(envelope: Envelope): MessageDraft {
    this.#assertOpen();
    return new Draft(envelope, this.#parts.startScan(), this.#parts.log, {
      insert: (message) => this.#writer.insert(message),
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
    return this.#writer.onChange(listener);
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
    return this.#parts.log.shared === null ? null : this.#writer.position;
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
      groups: this.#writer.groups,
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
    return this.#writer.between(run);
  }

  async #close(): Promise<void> {
    const { compactor, search, log, rows, space, logger, release } = this.#parts;
    await compactor?.stop();
    space?.stop();
    await Promise.allSettled(this.#arriving);
    await this.#writer.drain();
    await search.close();
    // Whatever was acknowledged is as safe as was asked for: a disk that fails by now takes nothing of it.
    await log.close().catch((error) => logger.warn("log_not_synced", { reason: String(error) }));
    rows.close();
    release();
  }

  #change(plan: Change["plan"]): Promise<StoreChange | null> {
    this.#assertOpen();
    return this.#writer.change(plan);
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
      // Only adjacent messages share a state, to keep the requested order.
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

/** A change as seen by a caller who sees only these inboxes; null when it concerns none of them. */
function changeWithin(scope: readonly string[], change: StoreChange): StoreChange | null {
  if (change.kind === "setting") return null;
  if (change.kind === "cleared") return change;
  if (change.kind === "added") return isWithin(scope, change.inbox) ? change : null;
  const { inboxes } = change;
  const isSeen = (_: unknown, at: number) => isWithin(scope, inboxes[at] ?? "");
  const seen = inboxes.filter(isSeen);
  if (change.kind === "changed") {
    if (seen.length === 0) return null;
    return { ...change, inboxes: seen, messages: change.messages.filter(isSeen) };
  }
  const isCleared = change.cleared && scope.every((inbox) => change.cleared?.includes(inbox));
  if (isCleared) return { kind: "cleared", count: seen.length };
  return seen.length === 0 ? null : { ...change, inboxes: seen, ids: change.ids.filter(isSeen) };
}

const isSameState = (left: MessageState, right: MessageState): boolean =>
  left.is_read === right.is_read &&
  left.is_starred === right.is_starred &&
  JSON.stringify(left.tags) === JSON.stringify(right.tags);

const ignore = () => {};
