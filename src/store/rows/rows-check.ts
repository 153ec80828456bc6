// Looks at every row, a few at a time: is it what was written, and do the indexes that filter know just these?
// SQLite itself notices only what it stumbles over, and would count and list what is wrong as truth.
import { WrongIndex } from "../errors.ts";
import { stepAfter } from "./long-rows.ts";
import { charsOf, foldedUnlessAscii, isAsWritten, ROW_COLUMNS, type SummedRow } from "./row.ts";
import { INDEX_CONDITIONS } from "./schema.ts";
import type { Statements } from "./statements.ts";

interface WholeRow extends SummedRow {
  readonly chars: number;
  readonly folded_sender: string | null;
  readonly folded_recipients: string | null;
  readonly folded_subject: string | null;
}

const ROWS_PER_STEP = 200;
const NEXT_ROWS = `SELECT ${ROW_COLUMNS}, chars, sum, folded_sender, folded_recipients, folded_subject
  FROM message NOT INDEXED WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
const NEXT_TAGS = "SELECT tag, seq FROM tag WHERE (tag, seq) > (?, ?) ORDER BY tag, seq LIMIT ?";
const WITHIN = "m.seq > ? AND m.seq <= ?";
const seqsIn = (source: string, condition: string) =>
  `SELECT json_group_array(seq) AS list FROM
    (SELECT m.seq FROM message m ${source} WHERE ${condition} AND ${WITHIN} ORDER BY m.seq)`;
/** Rows that a walk comes by, and who looks for them does not find: a signpost on the way points elsewhere. */
const unfound = (condition: string, lookUp: string) =>
  `SELECT m.seq FROM message m NOT INDEXED WHERE ${condition} AND ${WITHIN} AND m.seq IS NOT (${lookUp}) LIMIT 1`;
const UNFOUND_BY_SEQ = unfound("true", "SELECT seq FROM message NOT INDEXED WHERE seq = m.seq");
const UNFOUND_BY_ID = unfound("true", "SELECT seq FROM message WHERE id = m.id");

export class RowsCheck {
  readonly #statements: Statements;
  #seq = 0;
  /** Null as long as there are rows to look at. */
  #tag: { tag: string; seq: number } | null = null;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** False when everything has been looked at; throws WrongIndex. */
  step(): boolean {
    return this.#tag === null ? this.#checkRows() : this.#checkTags(this.#tag);
  }

  #checkRows(): boolean {
    const { end } = stepAfter(this.#statements, this.#seq, Number.MAX_SAFE_INTEGER);
    const rows = this.#statements.all<WholeRow>(NEXT_ROWS, this.#seq, end, ROWS_PER_STEP);
    for (const row of rows) this.#checkRow(row);
    const upTo = rows.length === ROWS_PER_STEP ? (rows.at(-1)?.seq ?? end) : end;
    this.#expectNone(UNFOUND_BY_SEQ, upTo);
    this.#expectNone(UNFOUND_BY_ID, upTo);
    for (const [name, condition] of Object.entries(INDEX_CONDITIONS))
      this.#checkIndex(`INDEXED BY message_${name}`, condition, upTo);
    this.#seq = upTo;
    if (upTo === Number.MAX_SAFE_INTEGER) this.#tag = { tag: "", seq: 0 };
    return true;
  }

  #checkRow(row: WholeRow): void {
    const isSound =
      isAsWritten(row) &&
      row.chars === charsOf(row) &&
      row.folded_sender === foldedUnlessAscii(row.sender) &&
      row.folded_recipients === foldedUnlessAscii(row.recipients) &&
      row.folded_subject === foldedUnlessAscii(row.subject);
    if (!isSound) throw new WrongIndex(`the row of ${row.id} has changed by itself`);
    for (const tag of row.tags === null ? [] : (JSON.parse(row.tags) as string[]))
      if (this.#statements.first("SELECT seq FROM tag WHERE tag = ? AND seq = ?", tag, row.seq) === null)
        throw new WrongIndex(`the index of tags has lost one of ${row.id}`);
  }

  #checkIndex(index: string, condition: string, upTo: number): void {
    const lists = [index, "NOT INDEXED"].map(
      (source) => this.#statements.first<{ list: string }>(seqsIn(source, condition), this.#seq, upTo)?.list,
    );
    if (lists[0] !== lists[1]) throw new WrongIndex("an index is not that of the rows");
    const lookUp = `SELECT seq FROM message ${index} WHERE ${condition} AND seq = m.seq`;
    this.#expectNone(unfound(condition, lookUp), upTo);
  }

  #expectNone(sql: string, upTo: number): void {
    if (this.#statements.first(sql, this.#seq, upTo) !== null)
      throw new WrongIndex("an index has lost its way");
  }

  #checkTags({ tag, seq }: { tag: string; seq: number }): boolean {
    const found = this.#statements.all<{ tag: string; seq: number }>(NEXT_TAGS, tag, seq, ROWS_PER_STEP);
    for (const one of found) {
      const row = this.#statements.first<{ tags: string | null }>(
        "SELECT tags FROM message WHERE seq = ?",
        one.seq,
      );
      if (!JSON.parse(row?.tags ?? "[]").includes(one.tag))
        throw new WrongIndex("the index of tags has one that no message has");
    }
    this.#tag = found.at(-1) ?? null;
    return this.#tag !== null;
  }
}
