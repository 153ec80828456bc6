// Writes changes: operations are gathered into groups, written to the log, applied to the rows and the text index,
// sent to listeners and answered. Records of other nodes are applied in the same way.

import type { Logger } from "../lib/logger.ts";
import { Histogram } from "../lib/numbers.ts";
import type { Envelope } from "../lib/smtp.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { MessageSummary } from "../model/index.ts";
import { CommitQueue, type Operation } from "./commit-queue.ts";
import type { Compactor } from "./compaction.ts";
import { asStoreError, closedError, diskFull } from "./errors.ts";
import type { DiskSpace } from "./log/disk-space.ts";
import type {
  Body,
  ChangeRecord,
  Log,
  LogEntry,
  LogRecord,
  MessageRecord,
  NewRecord,
  StoredMessage,
} from "./log/log.ts";
import { summaryOf, summaryOfRecord } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import type { Search } from "./search/search.ts";
import type { MessageFacts, StoreChange } from "./store.ts";

export interface WriterParts {
  readonly log: Log;
  readonly rows: Rows;
  readonly search: Search;
  readonly space: DiskSpace | null;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Null if the log needs no compaction. */
  readonly compactor: Compactor | null;
}

export interface FinishedMessage {
  readonly envelope: Envelope;
  readonly facts: MessageFacts;
  readonly tags: readonly string[];
  readonly inbox: string;
  readonly body: Body;
  readonly size: number;
}

interface Effect {
  readonly change: StoreChange;
  /** The deleted messages. Empty for a clear: the log knows which files to remove. */
  readonly deleted?: readonly StoredMessage[];
}

interface Planned {
  readonly operation: Operation;
  readonly added: NewRecord;
  readonly effect: Effect;
}

const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

export class Writer {
  readonly #parts: WriterParts;
  readonly #queue = new CommitQueue((group) => this.#commit(group));
  readonly #ids: UlidSource;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly groups = new Histogram(GROUP_SIZES);
  /** The number of the last applied record. A listener sees the number of its record. */
  position: number;
  #isOpen = true;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#ids = new UlidSource(parts.log.lastId);
    this.position = parts.log.lastSeq;
    parts.compactor?.start((run) => this.#queue.between(run));
    parts.log.shared?.follow(
      (entry) => this.#apply([entry], [this.#effectOf(entry.record)]),
      () => parts.rows.newest(),
    );
  }

  assertOpen(): void {
    if (!this.#isOpen) throw closedError();
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  insert({ envelope, facts, tags, inbox, body, size }: FinishedMessage): Promise<MessageSummary> {
    this.assertOpen();
    const { promise, resolve, reject } = Promise.withResolvers<MessageSummary>();
    const plan = (seq: number): NewRecord => {
      const arrived = this.#parts.now().getTime();
      const record: MessageRecord = {
        kind: "message",
        seq,
        id: this.#ids.next(arrived),
        inbox,
        time: Math.min(envelope.receivedAt ?? arrived, arrived),
        sender: envelope.sender,
        recipients: envelope.recipients,
        subject: facts.subject,
        has_attachments: facts.has_attachments,
        header_from: facts.header_from,
        header_to: facts.header_to,
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

  change(plan: Operation["plan"]): Promise<StoreChange | null> {
    this.assertOpen();
    const { promise, resolve, reject } = Promise.withResolvers<StoreChange | null>();
    this.#queue.push({ isInsert: false, plan, answer: resolve, reject });
    return promise;
  }

  /** Refuses further operations. Resolves when all earlier ones are written. */
  close(): Promise<void> {
    this.#isOpen = false;
    return this.#queue.drain();
  }

  /**
   * Writes a group. First it waits until the search worker is no longer far behind and, with several nodes, until no
   * other node writes. Returns null if the group is already written.
   */
  #commit(group: readonly Operation[]): Promise<void> | null {
    const { search, log } = this.#parts;
    const room = search.room();
    if (room === null && log.shared === null) return this.#write(group);
    return this.#writeInTurn(group, room);
  }

  async #writeInTurn(group: readonly Operation[], room: Promise<void> | null): Promise<void> {
    const { shared } = this.#parts.log;
    try {
      await room;
      await (shared === null ? this.#write(group) : shared.turn(() => this.#write(group)));
    } catch (error) {
      for (const { reject } of group) reject(asStoreError(error));
    }
  }

  #write(group: readonly Operation[]): Promise<void> | null {
    const { log } = this.#parts;
    this.#ids.follow(log.lastId);
    const planned: Planned[] = [];
    for (const operation of group) {
      try {
        const added = operation.plan(log.lastSeq + planned.length + 1);
        if (added !== null) this.#provideRoom(added);
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
      const written = log.append(planned.map(({ added }) => added));
      if (written instanceof Promise) return written.then(settle).catch(refuse);
      settle(written);
    } catch (error) {
      refuse(error);
    }
    return null;
  }

  /** On a full disk only records that free space are written. They may use the reserve and the space of the text index. */
  #provideRoom({ record, body }: NewRecord): void {
    const { space, search } = this.#parts;
    if (record.kind === "message") {
      // The space for a large body was reserved while it arrived.
      const bytes = body instanceof Uint8Array ? record.size : 0;
      if (space?.reserveBytes(bytes) === false) throw diskFull();
    } else if (space?.isShort) {
      if (!freesRoom(record)) throw diskFull();
      if (!space.releaseIfFull()) search.discard();
    }
  }

  #settle(entries: LogEntry[], planned: readonly Planned[]): void {
    const { log, compactor } = this.#parts;
    this.groups.observe(entries.length);
    this.#apply(
      entries,
      planned.map(({ effect }) => effect),
    );
    for (const { operation, effect } of planned) {
      if (effect.deleted === undefined) {
        operation.answer(effect.change);
        continue;
      }
      compactor?.poke();
      const freed = log.free?.(effect.deleted) ?? Promise.resolve();
      freed.then(() => operation.answer(effect.change), operation.reject);
    }
  }

  /** Passes new entries, of this node or of others, to the rows, the text index and the listeners. */
  #apply(entries: LogEntry[], effects: readonly Effect[]): void {
    const { rows, search } = this.#parts;
    rows.apply(entries);
    search.apply(entries);
    let at = 0;
    for (const { change } of effects) {
      this.position = entries[at++]?.record.seq ?? this.position;
      for (const listener of this.#listeners) this.#tell(listener, change);
    }
  }

  /** A change that is already stored must not fail because of a bug in a listener. */
  #tell(listener: (change: StoreChange) => void, change: StoreChange): void {
    try {
      listener(change);
    } catch (error) {
      this.#parts.logger.error("change listener failed", { error: String(error) });
    }
  }

  /** Must be called before the record is applied, because it reads rows that a deletion removes. */
  #effectOf(record: LogRecord): Effect {
    const { rows } = this.#parts;
    switch (record.kind) {
      case "message":
        return { change: { kind: "added", message: summaryOfRecord(record), inbox: record.inbox } };
      case "change":
        return { change: this.#changedBy(record) };
      case "delete": {
        const deleted = rows.bySeqs(record.seqs);
        const ids = deleted.map(({ id }) => id);
        const { cleared } = record;
        const inboxes = deleted.map(({ inbox }) => inbox);
        return { change: { kind: "deleted", ids, inboxes, ...(cleared && { cleared }) }, deleted };
      }
      case "setting":
        return { change: { kind: "setting", key: record.key, value: record.value } };
      case "clear":
        return { change: { kind: "cleared", count: rows.countsOf(null).messages }, deleted: [] };
    }
  }

  #changedBy({ fields, states }: ChangeRecord): StoreChange {
    const messages: MessageSummary[] = [];
    const inboxes: string[] = [];
    for (const { seqs, is_read, is_starred, tags } of states)
      for (const row of this.#parts.rows.bySeqs(seqs)) {
        messages.push({ ...summaryOf(row), is_read, is_starred, tags: [...tags] });
        inboxes.push(row.inbox);
      }
    return { kind: "changed", fields, messages, inboxes };
  }
}

const freesRoom = (record: LogRecord): boolean =>
  record.kind === "delete" || record.kind === "clear" || (record.kind === "setting" && record.value === null);
