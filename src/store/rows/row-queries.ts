// What is asked of the rows: by id, by filter, by place. Whoever asks sees every row that was acknowledged.
import { firstUlidAt } from "../../lib/ulid.ts";
import type { MessageSummary } from "../../model/index.ts";
import { WrongIndex } from "../errors.ts";
import type { LogPosition } from "../log/log.ts";
import type { OldestMessage } from "../store.ts";
import { LONG_ROW_CHARS, stepAfter } from "./long-rows.ts";
import { MatchingRows } from "./matching-rows.ts";
import { ReadingTurn } from "./reading-turn.ts";
import {
  charsOf,
  isAsWritten,
  type MessageRow,
  type RecordRow,
  ROW_COLUMNS,
  type SummedRow,
  summaryOf,
} from "./row.ts";
import { RowsCheck } from "./rows-check.ts";
import type { RowsState } from "./state.ts";
import type { Statements } from "./statements.ts";

const BY_ID = `SELECT ${ROW_COLUMNS}, sum FROM message WHERE id = ?`;
const NEXT_ID = "SELECT id FROM message NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT 1";
const ID_OF = "SELECT id FROM message WHERE seq = ?";
const SEQ_OF = "SELECT seq FROM message WHERE id = ?";
const CHARS_OF = "SELECT chars FROM message WHERE id = ?";
const RECORD_OF = "SELECT seq, id, size, segment, at, body_at FROM message WHERE seq = ?";
const BY_SEQ = `SELECT ${ROW_COLUMNS}, sum FROM message WHERE seq = ?`;

export abstract class RowQueries {
  protected readonly statements: Statements;

  /** For all who read many rows. */
  readonly turn = new ReadingTurn();
  readonly matching: MatchingRows;

  constructor(statements: Statements) {
    this.statements = statements;
    this.matching = new MatchingRows({ statements, turn: this.turn, state: () => this.state });
  }

  abstract get state(): Readonly<RowsState>;

  byId(id: string): MessageRow | null {
    const row = sound(this.statements.first(BY_ID, id));
    if (row === null ? this.#hasRowOf(id) : row.id !== id) throw wrongAbout(id);
    return row;
  }

  /** Ids grow with seqs: what the index of ids does not know is looked for among the rows, by halves. */
  #hasRowOf(id: string): boolean {
    let [low, high] = [0, this.state.last_seq];
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const next = this.statements.first<{ id: string }>(NEXT_ID, middle);
      if (next?.id === id) return true;
      if (next !== null && next.id < id) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  bySeq(seq: number): MessageRow | null {
    return sound(this.statements.first(BY_SEQ, seq));
  }

  /** Where the record of this seq lies; without the texts of the row, and unchecked. */
  recordOf(seq: number): RecordRow | null {
    return this.statements.first(RECORD_OF, seq);
  }

  seqOf(id: string): number | null {
    const seq = this.statements.first<{ seq: number }>(SEQ_OF, id)?.seq ?? null;
    if (seq === null ? this.#hasRowOf(id) : this.idOf(seq) !== id) throw wrongAbout(id);
    return seq;
  }

  /** Whether the texts of this message are long; of what is not there they are not. */
  isLong(id: string): boolean {
    return (this.statements.first<{ chars: number }>(CHARS_OF, id)?.chars ?? 0) > LONG_ROW_CHARS;
  }

  /** Whether there are long texts among these, which are newest first, or between them. */
  hasLong(seqs: readonly number[]): boolean {
    return stepAfter(this.statements, (seqs.at(-1) ?? 0) - 1, seqs[0] ?? 0).chars > 0;
  }

  /** Without the texts of the row, and unchecked: for who looks at the row later. */
  idOf(seq: number): string | null {
    return this.statements.first<{ id: string }>(ID_OF, seq)?.id ?? null;
  }

  /** The rows of these seqs, in the order given; those that are gone are left out. */
  rowsOf(seqs: Iterable<number>): MessageRow[] {
    const rows: MessageRow[] = [];
    for (const seq of seqs) {
      const row = this.bySeq(seq);
      if (row !== null) rows.push(row);
    }
    return rows;
  }

  /** The messages of a page; those that are gone are left out. */
  async read(seqs: readonly number[]): Promise<MessageSummary[]> {
    if (this.turn.isOver && this.hasLong(seqs)) await this.turn.another();
    const rows = this.rowsOf(seqs);
    this.turn.spend(rows.reduce((chars, row) => chars + charsOf(row), 0));
    return rows.map(summaryOf);
  }

  /** How many messages there are up to this seq, which is most often near the last one. */
  countUpTo(seq: number): number {
    const after = "SELECT count(*) AS n FROM message WHERE seq > ?";
    return this.state.messages - (this.statements.first<{ n: number }>(after, seq)?.n ?? 0);
  }

  /** The rows that follow this seq, oldest first. */
  after(seq: number, limit: number): MessageRow[] {
    return this.statements.all(
      `SELECT ${ROW_COLUMNS} FROM message WHERE seq > ? ORDER BY seq LIMIT ?`,
      seq,
      limit,
    );
  }

  /** The seq of the newest message whose id is not after this one; 0 when there is none. */
  lastSeqUpTo(id: string): number {
    const found = this.statements.all<{ seq: number }>(
      "SELECT seq FROM message WHERE id <= ? ORDER BY id DESC LIMIT 1",
      id,
    );
    return found[0]?.seq ?? 0;
  }

  tags(): { tag: string; count: number }[] {
    return this.statements.all("SELECT tag, count(*) AS count FROM tag GROUP BY tag ORDER BY tag");
  }

  /** The oldest that retention may remove. */
  oldest(keepStarred: boolean, limit: number): OldestMessage[] {
    return this.#oldestWhere("1", [], keepStarred, limit);
  }

  /**
   * Those of them that arrived before an instant. The time of an id is that of the arrival, so the ids tell; but for
   * those that lie ahead of the clock, because it was set back: there the arrival itself is looked at.
   */
  oldestBefore(before: Date, now: Date, keepStarred: boolean, limit: number): OldestMessage[] {
    const due = this.lastSeqUpTo(firstUlidAt(before.getTime()));
    const found = this.#oldestWhere("seq <= ?", [due], keepStarred, limit);
    const ahead = this.lastSeqUpTo(firstUlidAt(now.getTime()));
    const condition = "seq > ? AND created < ?";
    const params = [ahead, before.getTime()];
    return found.concat(this.#oldestWhere(condition, params, keepStarred, limit - found.length));
  }

  #oldestWhere(
    condition: string,
    params: readonly number[],
    keepStarred: boolean,
    limit: number,
  ): OldestMessage[] {
    const where = keepStarred ? `${condition} AND is_starred = 0` : condition;
    const sql = `SELECT id, size FROM message WHERE ${where} ORDER BY seq LIMIT ?`;
    return this.statements.all(sql, ...params, limit);
  }

  /** The id of the oldest message with a file of its own. */
  oldestLarge(): string | null {
    const sql = "SELECT id FROM message WHERE body_at = 0 ORDER BY seq LIMIT 1";
    return this.statements.first<{ id: string }>(sql)?.id ?? null;
  }

  largeRows(): MessageRow[] {
    const found = this.statements.all<SummedRow>(`SELECT ${ROW_COLUMNS}, sum FROM message WHERE body_at = 0`);
    return found.flatMap((row) => sound(row) ?? []);
  }

  /** Before something leaves because it has no row: none may have been lost. */
  assertComplete(): void {
    const found = this.statements.first<{ n: number }>("SELECT count(*) AS n FROM message NOT INDEXED");
    if (found?.n !== this.state.messages) throw new WrongIndex("the index has lost rows");
  }

  /** The messages whose records begin within these bytes of a segment. */
  within({ segment, at }: LogPosition, end: number): MessageRow[] {
    return this.statements.all(
      `SELECT ${ROW_COLUMNS} FROM message WHERE segment = ? AND at >= ? AND at < ?`,
      segment,
      at,
      end,
    );
  }

  /** Looks at all of them, step by step. */
  startCheck(): RowsCheck {
    return new RowsCheck(this.statements);
  }

  /** Ids of large messages that were taken out for want of their file. */
  lostBodies(): string[] {
    return this.statements.all<{ id: string }>("SELECT id FROM lost_body").map(({ id }) => id);
  }

  /** Seqs that the text index may still hold. */
  unsearchedDeletes(): number[] {
    return this.statements
      .all<{ seq: number }>("SELECT seq FROM unsearched_delete ORDER BY seq")
      .map(({ seq }) => seq);
  }
}

const wrongAbout = (id: string) => new WrongIndex(`the index of ids is wrong about ${id}`);

/** A row that is not what was written is made anew from the log, with all others. */
function sound(row: SummedRow | null): MessageRow | null {
  if (row !== null && !isAsWritten(row)) throw new WrongIndex(`the row of ${row.id} has changed by itself`);
  return row;
}
