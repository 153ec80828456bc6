// The changes of a group: each is staged in the log and applied to the rows, then the log is written and the
// rows are committed, all or nothing. The text index is told afterwards. Where the disk has to confirm what is written,
// the rows are changed only after that: nobody sees what may yet be refused.
import { jsonList } from "../lib/json-text.ts";
import type { Logger } from "../lib/logger.ts";
import { UlidSource } from "../lib/ulid.ts";
import type { MessageChange, MessageSummary } from "../model/index.ts";
import { type Change, type Committed, Postponed, Refused } from "./commit-queue.ts";
import type { Finished } from "./draft.ts";
import { asStoreError, diskFull, isDiskFull } from "./errors.ts";
import { GroupInHand } from "./group-in-hand.ts";
import type { LastFailure } from "./last-failure.ts";
import type { Log, LogPosition, Place, Removal } from "./log/log.ts";
import { CHARS_PER_TURN } from "./rows/long-rows.ts";
import { changedRow, charsOf, type MessageRow, summaryOf, summaryWith } from "./rows/row.ts";
import type { Rows } from "./rows/rows.ts";
import type { SearchIndex } from "./search/search-index.ts";

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

/** As much as a small message takes. */
const PROBE_BYTES = 4 << 10;

export class Changes {
  readonly #parts: ChangesParts;
  readonly #ids: UlidSource;
  readonly #failure: LastFailure;
  #group: GroupInHand;
  /** The group in hand may use the room kept for deleting, so it does nothing else. */
  #onReserve = false;

  constructor(parts: ChangesParts, failure: LastFailure) {
    this.#parts = parts;
    this.#failure = failure;
    this.#ids = new UlidSource(parts.rows.state.last_id);
    this.#group = this.#emptyGroup();
  }

  insert({ envelope, facts, tags, body }: Finished): MessageSummary | Refused {
    const written = body.kind === "file" ? 0 : body.size;
    if (this.#onReserve || !this.#parts.hasRoomFor(written)) return new Refused(diskFull());
    const { log, rows } = this.#parts;
    const time = this.#parts.now().getTime();
    const seq = this.#group.lastSeq + 1;
    const id = this.#ids.next(time);
    const { sender } = envelope;
    const recipients = jsonList(envelope.recipients);
    const tagList = tags.length === 0 ? null : jsonList(tags);
    let place: Place;
    try {
      place = log.stageMessage({ seq, id, time, sender, recipients, tags: tagList }, body);
    } catch (error) {
      return this.#refuseAlone(error);
    }
    this.#group.lastSeq = seq;
    const row: MessageRow = {
      seq,
      id,
      created: time,
      size: body.size,
      segment: place.segment,
      at: place.at,
      body_at: place.body_at,
      is_read: 0,
      is_starred: 0,
      has_attachments: Number(facts.has_attachments),
      sender,
      recipients,
      subject: facts.subject,
      tags: tagList,
    };
    this.#group.changeRows(() => rows.insert(row));
    this.#group.chars += charsOf(row);
    this.#group.news.push(row);
    return summaryWith(row, [...envelope.recipients], [...tags]);
  }

  update(found: readonly MessageRow[], change: MessageChange): MessageSummary[] | Refused | Postponed {
    if (found.length === 0 || Object.keys(change).length === 0) return found.map(summaryOf);
    if (!this.#mayChangeMore) return new Refused(diskFull());
    const group = this.#group;
    if (!group.touch(found)) return new Postponed();
    const { log, rows } = this.#parts;
    const seqs = found.map(({ seq }) => seq);
    const number = ++group.lastChange;
    const note = log.stageChange(number, seqs, change);
    group.changeRows(() => {
      rows.segments.addNote(note);
      rows.sawChange(number);
      for (const row of found) rows.change(row, change);
    });
    group.news.push(() => this.#parts.freed());
    return found.map((row) => summaryOf(changedRow(row, change)));
  }

  delete(found: readonly MessageRow[], why: Removal = "deleted"): string[] | Postponed {
    if (found.length === 0) return [];
    const group = this.#group;
    if (!group.touch(found)) return new Postponed();
    const { log, rows, search } = this.#parts;
    group.frees = true;
    const note = log.stageDelete(found, why);
    group.changeRows(() => {
      rows.segments.addNote(note);
      for (const row of found) rows.delete(row, why);
    });
    const seqs = found.map(({ seq }) => seq);
    group.news.push(() => {
      search.remove(seqs);
      this.#parts.freed();
    });
    return found.map(({ id }) => id);
  }

  clear(): number | Postponed {
    const group = this.#group;
    if (!group.touchAll()) return new Postponed();
    const { log, rows, search } = this.#parts;
    const messages = rows.state.messages + group.waitingChanges;
    group.frees = true;
    log.stageClear();
    group.changeRows(() => rows.clear());
    group.news.push(() => {
      search.clear();
      rows.shrink();
    });
    return messages;
  }

  /** Writes what means nothing, to find out whether the disk takes it. */
  probe(): undefined | Refused {
    if (!this.#mayChangeMore) return new Refused(diskFull());
    const { log, rows } = this.#parts;
    const group = this.#group;
    group.onlyInserts = false;
    const number = ++group.lastChange;
    const note = log.stageBlank(number, PROBE_BYTES);
    group.changeRows(() => {
      rows.segments.addNote(note);
      rows.sawChange(number);
    });
    group.news.push(() => this.#parts.freed());
  }

  /** Whether the last group was to delete something. */
  get frees(): boolean {
    return this.#group.frees;
  }

  /** As much of the group as can be done in one turn, in its order. */
  commit(group: readonly Change[]): Committed {
    try {
      const committed = this.#attempt(group);
      const { taken, results } = committed;
      if (!(results instanceof Promise)) return committed;
      const again = (error: unknown) => this.#attemptOnReserve(group.slice(0, taken), error).results;
      return { taken, results: results.catch(again) };
    } catch (error) {
      return this.#attemptOnReserve(group, error);
    }
  }

  /** What a group deletes gets a second chance on a full disk, with the room kept for that. */
  #attemptOnReserve(group: readonly Change[], error: unknown): Committed {
    const mayRetry = this.#group.frees && isDiskFull(error);
    if (!mayRetry || !this.#parts.giveUpReserve()) throw error;
    this.#onReserve = true;
    return this.#attempt(group);
  }

  /** The rows are applied first, uncommitted; a log that cannot be written takes them back. */
  #attempt(group: readonly Change[]): Committed {
    const { log, rows } = this.#parts;
    this.#group = this.#emptyGroup();
    try {
      if (!log.isConfirmed) rows.begin();
      const results: unknown[] = [];
      for (const { apply } of group) {
        const result = apply();
        if (result instanceof Postponed) break;
        results.push(result);
        if (this.#group.chars >= CHARS_PER_TURN) break;
      }
      const taken = results.length;
      const { isEmpty } = this.#group;
      const end = isEmpty ? rows.state : log.write();
      if (isEmpty || !log.isConfirmed) return { taken, results: this.#complete(end, results) };
      const confirmed = log.confirm().then(() => this.#complete(end, results));
      return { taken, results: confirmed.catch((error) => this.#undo(error)) };
    } catch (error) {
      return this.#undo(error);
    }
  }

  /** Whether anything may be written that does not free room. */
  get #mayChangeMore(): boolean {
    return !this.#onReserve && this.#parts.hasRoomForChanges();
  }

  #emptyGroup(): GroupInHand {
    const { rows, log } = this.#parts;
    return new GroupInHand(rows.state, log.isConfirmed);
  }

  /** A large body that finds no place for its file is no reason to refuse the rest, unless the whole folder is gone. */
  #refuseAlone(error: unknown): Refused {
    this.#parts.log.assertInPlace();
    const refused = asStoreError(error);
    this.#failure.failed(refused);
    return new Refused(refused);
  }

  /** The log has the group, up to this end. */
  #complete(end: LogPosition, results: unknown[]): Committed["results"] {
    const { log, rows } = this.#parts;
    if (log.isConfirmed) rows.begin();
    this.#group.makeWaitingChanges();
    rows.commit(end, this.#group.onlyInserts ? "soon" : "now");
    log.settle();
    if (!this.#group.isEmpty) this.#failure.wrote();
    this.#tellNews();
    this.#endReserve();
    const freed = log.freed();
    return freed === null ? results : freed.then(() => results);
  }

  #undo(error: unknown): never {
    const { log, rows } = this.#parts;
    try {
      rows.rollback();
    } finally {
      log.discard();
      this.#endReserve();
    }
    throw error;
  }

  #endReserve(): void {
    if (!this.#onReserve) return;
    this.#onReserve = false;
    this.#parts.takeReserve();
  }

  /** The group stands whatever happens here: the text index and the disk's space follow in their own time. */
  #tellNews(): void {
    for (const news of this.#group.news) {
      try {
        if (typeof news === "function") news();
        else this.#parts.search.add(news);
      } catch (error) {
        this.#parts.logger.error("store_follow_up_failed", { reason: String(error) });
      }
    }
  }
}
