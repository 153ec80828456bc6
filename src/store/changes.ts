// The changes of a group: each is staged in the log and applied to the rows, then the log is written and the
// rows are committed, all or nothing. The text index is told afterwards.
import { jsonList } from "../lib/json-text.ts";
import type { Logger } from "../lib/logger.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { MessageChange, MessageSummary } from "../model/index.ts";
import { Refused } from "./commit-queue.ts";
import type { Finished } from "./draft.ts";
import { asStoreError } from "./errors.ts";
import type { Log } from "./log/log.ts";
import { CHARS_PER_TURN } from "./rows/long-rows.ts";
import { charsOf, type MessageRow, summaryOf, summaryWith } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import type { SearchIndex } from "./search/search-index.ts";
import { StoreError } from "./store.ts";

export interface ChangesParts {
  readonly log: Log;
  readonly rows: Rows;
  readonly search: SearchIndex;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Messages were deleted or changed: there may be space to win back. */
  readonly freed: () => void;
  /** Whether a message of this size may be written and still leave room for deleting. */
  readonly hasRoomFor: (bytes: number) => boolean;
  /** Whether flags and tags may change and still leave room for deleting. */
  readonly hasRoomForChanges: () => boolean;
  /** Makes room on a full disk; false when there is none to make. */
  readonly giveUpReserve: () => boolean;
  /** Takes that room again, before others can. */
  readonly takeReserve: () => void;
}

export class Changes {
  readonly #parts: ChangesParts;
  readonly #ids: UlidSource;
  /** What must be told once the group is in the log and the rows: new messages, or what was done to others. */
  #afterCommit: (MessageRow | (() => void))[] = [];
  /** The group in hand may use the room kept for deleting, so it takes in no mail. */
  #onReserve = false;
  /** The group in hand deletes something. */
  #frees = false;
  /** The group in hand does nothing but take in messages. */
  #onlyInserts = true;
  /** How much text the rows have that the group in hand has changed. */
  #chars = 0;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#ids = new UlidSource(parts.rows.state.last_id);
  }

  insert({ envelope, facts, tags, body }: Finished): MessageSummary | Refused {
    const written = body.kind === "file" ? 0 : body.size;
    if (this.#onReserve || !this.#parts.hasRoomFor(written))
      return new Refused(new StoreError("disk_full", "the disk is full"));
    const { log, rows } = this.#parts;
    const time = this.#parts.now().getTime();
    const seq = rows.state.last_seq + 1;
    const id = this.#ids.next(time);
    const { sender } = envelope;
    const recipients = jsonList(envelope.recipients);
    const tagList = tags.length === 0 ? null : jsonList(tags);
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
    this.#chars += charsOf(row);
    this.#afterCommit.push(row);
    return summaryWith(row, [...envelope.recipients], [...tags]);
  }

  update(found: readonly MessageRow[], change: MessageChange): MessageSummary[] | Refused {
    const { log, rows } = this.#parts;
    if (found.length === 0 || Object.keys(change).length === 0) return found.map(summaryOf);
    if (!this.#parts.hasRoomForChanges()) return new Refused(new StoreError("disk_full", "the disk is full"));
    this.#onlyInserts = false;
    const seqs = found.map(({ seq }) => seq);
    for (const row of found) this.#chars += charsOf(row);
    const number = rows.state.last_change + 1;
    rows.segments.addNote(log.stageChange(number, seqs, change));
    rows.sawChange(number);
    this.#afterCommit.push(() => this.#parts.freed());
    return found.map((row) => summaryOf(rows.change(row, change)));
  }

  delete(found: readonly MessageRow[]): string[] {
    if (found.length === 0) return [];
    const { log, rows, search } = this.#parts;
    this.#frees = true;
    this.#onlyInserts = false;
    rows.segments.addNote(log.stageDelete(found));
    for (const row of found) {
      rows.delete(row);
      this.#chars += charsOf(row);
    }
    const seqs = found.map(({ seq }) => seq);
    this.#afterCommit.push(() => {
      search.remove(seqs);
      this.#parts.freed();
    });
    return found.map(({ id }) => id);
  }

  clear(): number {
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

  /**
   * As much of the group as can be done in one turn, in its order.
   * What a group deletes gets a second chance on a full disk, with the room kept for that.
   */
  commit(group: readonly (() => unknown)[]) {
    try {
      return this.#attempt(group);
    } catch (error) {
      const mayRetry = this.#frees && asStoreError(error).code === "disk_full";
      if (!mayRetry || !this.#parts.giveUpReserve()) throw error;
    }
    this.#onReserve = true;
    try {
      return this.#attempt(group);
    } finally {
      this.#onReserve = false;
      this.#parts.takeReserve();
    }
  }

  /** The rows are applied first, uncommitted; a log that cannot be written takes them back. */
  #attempt(group: readonly (() => unknown)[]) {
    const { log, rows } = this.#parts;
    this.#afterCommit = [];
    this.#frees = false;
    this.#onlyInserts = true;
    this.#chars = 0;
    try {
      rows.begin();
      const results: unknown[] = [];
      for (const apply of group) {
        results.push(apply());
        if (this.#chars >= CHARS_PER_TURN) break;
      }
      rows.commit(log.write(), this.#onlyInserts ? "soon" : "now");
      log.settle();
      this.#tellAfterCommit();
      return { results, durable: log.sync() };
    } catch (error) {
      try {
        rows.rollback();
      } finally {
        log.discard();
      }
      throw error;
    }
  }

  /** The group stands whatever happens here: the text index and the disk's space follow in their own time. */
  #tellAfterCommit(): void {
    for (const news of this.#afterCommit) {
      try {
        if (typeof news === "function") news();
        else this.#parts.search.add(news);
      } catch (error) {
        this.#parts.logger.error("store_follow_up_failed", { reason: String(error) });
      }
    }
  }
}
