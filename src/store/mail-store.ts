// The store: a log that is the truth, rows and a text index that follow it.
// Every change passes the commit queue; every read sees what was acknowledged before it.
import type { ListQuery, MessageChange, MessageFilter, MessageSummary } from "../model/index.ts";
import { Changes, type ChangesParts } from "./changes.ts";
import { type Change, CommitQueue, type Committed } from "./commit-queue.ts";
import { Draft, type DraftSink } from "./draft.ts";
import { asStoreError, diskFull, isIndexDamage } from "./errors.ts";
import { inTurns } from "./in-turns.ts";
import { LastFailure } from "./last-failure.ts";
import type { Bodies } from "./log/log.ts";
import * as questions from "./questions.ts";
import { charsOf, type MessageRow, type RecordRow } from "./rows/row.ts";
import { SoundBodies } from "./sound-bodies.ts";
import {
  type Envelope,
  type MessageDraft,
  type MessagePage,
  type MessageScan,
  nullIfGone,
  type OldestMessage,
  type OldestQuery,
  type OnDeleted,
  type RawMessage,
  type Store,
  StoreError,
  type StoreStats,
} from "./store.ts";

export interface MailStoreParts extends ChangesParts, questions.Asked {
  readonly bodies: Bodies;
  readonly startScan: () => MessageScan;
  readonly compact: () => Promise<void>;
  /** Throws the rows away and makes them anew from the log. */
  readonly rebuildRows: () => Promise<void>;
  /** Whether the disk has room to win if the rows go on in memory, which `giveUpRows` has them do. */
  readonly canGiveUpRows: () => boolean;
  readonly giveUpRows: () => Promise<void>;
  /** Whether mail is refused for want of room. */
  readonly isShortOfRoom: () => boolean;
  /** Throws when nothing can be written, or a file is gone. */
  readonly assertWritable: () => void;
  /** Ends what runs in the background, first on close. */
  readonly quiesce: () => Promise<void>;
  /** Called last on close. */
  readonly release: () => void;
}

export class MailStore implements Store {
  readonly #parts: MailStoreParts;
  readonly #queue: CommitQueue;
  readonly #changes: Changes;
  readonly #failure: LastFailure;
  readonly #bodies: SoundBodies;
  readonly #draftSink: DraftSink = {
    insert: (message, answer) => this.#queue.push(() => this.#changes.insert(message), answer),
    waitFor: (body) => {
      const settled = body.then(ignore, ignore).finally(() => this.#bodiesUnderWay.delete(settled));
      this.#bodiesUnderWay.add(settled);
    },
  };
  /** Large bodies of committed drafts that are still being written. */
  readonly #bodiesUnderWay = new Set<Promise<void>>();
  /** The rows are being rebuilt. */
  #healing: Promise<void> | null = null;
  /** Why the last group was refused, if its cause is being mended. */
  #mended: StoreError | null = null;
  #closed = false;
  #closing: Promise<void> | null = null;

  constructor(parts: MailStoreParts) {
    this.#parts = parts;
    this.#failure = new LastFailure(parts.logger);
    this.#changes = new Changes(parts, this.#failure);
    this.#queue = new CommitQueue(
      (group) => this.#commit(group),
      (error) => error === this.#mended,
    );
    this.#bodies = new SoundBodies({
      bodies: parts.bodies,
      logger: parts.logger,
      rowOf: (seq) => this.#rowOf(seq),
      recordOf: (seq) => this.#there(this.#parts.rows.recordOf(seq)),
      healIndex: (cause) => this.heal(cause),
      setAside: (damaged) => this.setAside(damaged),
    });
  }

  begin(envelope: Envelope): MessageDraft {
    this.#assertOpen();
    return new Draft(envelope, this.#parts.startScan(), this.#parts.log, this.#draftSink);
  }

  searchable(message: MessageSummary): Promise<void> | null {
    if (this.#parts.search.isSoonSearchable(message)) return null;
    // A search that fails is no reason to refuse a message that is stored.
    return this.#searchable(message.id).catch(ignore);
  }

  list(query: ListQuery): Promise<MessagePage> {
    return this.#read((parts) => questions.list(parts, query));
  }

  count(filter: MessageFilter): Promise<number> {
    return this.#read((parts) => questions.count(parts, filter));
  }

  get(id: string): Promise<MessageSummary | null> {
    return this.#read((parts) => questions.summary(parts, id));
  }

  async raw(id: string): Promise<RawMessage | null> {
    const seq = await this.#read((parts) => questions.seqOf(parts, id));
    return seq === null ? null : this.#bodies.raw(seq).catch(nullIfGone);
  }

  tags(): Promise<{ tag: string; count: number }[]> {
    return this.#read(({ rows }) => rows.tags());
  }

  stats(): Promise<StoreStats> {
    return this.#read(questions.stats);
  }

  oldest(query: OldestQuery): Promise<OldestMessage[]> {
    return this.#read((parts) => questions.oldest(parts, query));
  }

  walk(filter: MessageFilter, options: { after?: string; limit?: number } = {}): Promise<string[]> {
    return this.#read((parts) => questions.walk(parts, filter, options));
  }

  update(ids: readonly string[], change: MessageChange): Promise<MessageSummary[]> {
    this.#assertOpen();
    return this.#queue.push(() => {
      const found = [...new Set(ids)].flatMap((id) => this.#parts.rows.byId(id) ?? []);
      return this.#changes.update(found, change);
    });
  }

  delete(ids: readonly string[], onDeleted?: OnDeleted): Promise<string[]> {
    this.#assertOpen();
    return this.#deleteInTurns([...new Set(ids)], (id) => this.#parts.rows.byId(id), onDeleted);
  }

  async deleteMatching(filter: MessageFilter, onDeleted?: OnDeleted): Promise<string[]> {
    const seqs = await this.#read((parts) => questions.seqsOf(parts, filter));
    return this.#deleteInTurns(seqs, (seq) => this.#parts.rows.bySeq(seq), onDeleted);
  }

  clear(): Promise<number> {
    this.#assertOpen();
    return this.#queue.push(() => this.#changes.clear());
  }

  async check(): Promise<void> {
    await this.stats();
    const { assertWritable, isShortOfRoom, log } = this.#parts;
    try {
      log.assertInPlace();
      if (isShortOfRoom()) throw diskFull();
      assertWritable();
    } catch (error) {
      throw asStoreError(error);
    }
    if (this.#failure.error !== null) await this.#queue.push(() => this.#changes.probe());
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
    await Promise.all(this.#bodiesUnderWay);
    await this.#queue.drain();
    await this.#parts.search.close();
    // Whatever was acknowledged is as safe as was asked for: a disk that fails by now takes nothing of it.
    await this.#parts.log.close().catch((error) => {
      this.#parts.logger.warn("log_not_synced", { reason: String(error) });
    });
    this.#parts.rows.finish();
    this.#parts.release();
  }

  /** Runs a step while no group is being committed. */
  between<Result>(run: () => Result): Promise<Result> {
    return this.#queue.between(run);
  }

  /** Takes damaged messages out of the mailbox, until their bytes are put back; a copy is kept of what is left. */
  setAside(damaged: readonly RecordRow[]): Promise<string[]> {
    const seqs = damaged.map(({ seq }) => seq);
    return this.#queue.push(() => this.#changes.delete(this.#parts.rows.rowsOf(seqs), "lost"));
  }

  /** False when the message is gone, or damaged: then it has been reported and leaves the mailbox. */
  isSound(seq: number): Promise<boolean> {
    return this.#bodies.isSound(seq);
  }

  /** Every read passes here. An index that turns out to be damaged is rebuilt, and the question asked again. */
  async #read<Result>(ask: (parts: MailStoreParts) => Result | Promise<Result>): Promise<Result> {
    this.#assertOpen();
    if (this.#healing !== null) await this.#healing;
    try {
      return await ask(this.#parts);
    } catch (error) {
      if (!isIndexDamage(error)) throw error;
      await this.heal(error);
      return ask(this.#parts);
    }
  }

  /** Makes the rows anew from the log; whoever reads meanwhile waits. */
  heal(cause: unknown): Promise<void> {
    this.#parts.logger.error("index_damaged", { reason: String(cause) });
    return this.#makeRows(() => this.#parts.rebuildRows());
  }

  #makeRows(make: () => Promise<void>): Promise<void> {
    this.#healing ??= this.#queue.hold(make).finally(() => {
      this.#healing = null;
    });
    return this.#healing;
  }

  #commit(group: readonly Change[]): Committed {
    try {
      const committed = this.#changes.commit(group);
      const { taken, results } = committed;
      if (!(results instanceof Promise)) return committed;
      return { taken, results: results.catch((error) => this.#refuse(error)) };
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #refuse(error: unknown): never {
    const explained = this.#explained(error);
    this.#failure.failed(explained);
    this.#mended = this.#mend(error, explained) ? explained : null;
    throw explained;
  }

  /** What cannot be deleted for want of room, even of that which is kept for it, gets that of the rows. */
  #mend(error: unknown, { code }: StoreError): boolean {
    const { canGiveUpRows, giveUpRows } = this.#parts;
    const lacksRoom = code === "disk_full" && this.#changes.frees && canGiveUpRows();
    if (isIndexDamage(error)) this.heal(error).catch(ignore);
    else if (lacksRoom) this.#makeRows(giveUpRows).catch(ignore);
    else return false;
    return true;
  }

  /** Without the data folder much fails: then that is the reason. */
  #explained(error: unknown): StoreError {
    try {
      this.#parts.log.assertInPlace();
      return asStoreError(error);
    } catch (gone) {
      return asStoreError(gone);
    }
  }

  async #deleteInTurns<Key>(
    keys: readonly Key[],
    find: (key: Key) => MessageRow | null,
    onTurn: OnDeleted = ignore,
  ): Promise<string[]> {
    const apply = (found: readonly MessageRow[]) => this.#changes.delete(found);
    const turns = inTurns(this.#queue, { keys, perTurn: this.#deletedPerTurn(), find, apply, onTurn });
    return (await Array.fromAsync(turns)).flat();
  }

  #deletedPerTurn(): number {
    try {
      return this.#parts.isShortOfRoom() ? DELETED_PER_SHORT_TURN : DELETED_PER_TURN;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #searchable(id: string): Promise<void> {
    const { rows, search } = this.#parts;
    const seq = rows.seqOf(id);
    if (seq !== null) await search.searchable(seq);
  }

  #rowOf(seq: number): MessageRow {
    const row = this.#there(this.#parts.rows.bySeq(seq));
    this.#parts.rows.turn.spend(charsOf(row));
    return row;
  }

  #there<Row>(row: Row | null): Row {
    this.#assertOpen();
    if (row === null) throw new StoreError("unknown_message", "the message has been removed");
    return row;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError("closed", "the store is closed");
  }
}

const DELETED_PER_TURN = 500;
/** Without much room: what a turn writes to the index is freed before the next. */
const DELETED_PER_SHORT_TURN = 25;
const ignore = () => {};
