// The table of the log's segments: sealed ones, and the active one if something in it is dead. From here
// a compaction knows what is worth rewriting.
import type { Note } from "../log/log.ts";
import { PROLOGUE_BYTES } from "../log/segment.ts";
import type { Statements } from "./statements.ts";

export interface SegmentRow {
  readonly number: number;
  readonly generation: number;
  /** 0 while the segment is still written to. */
  readonly size: number;
  readonly dead_bytes: number;
}

/** A segment whose file was not there at a start. It may be put back. */
export interface MissingSegment {
  readonly number: number;
  /** The newest that there was: those from it to this one may say something of its messages. */
  readonly newest: number;
}

/** In place of a size. */
const MISSING = -1;

export class SegmentRows {
  readonly #statements: Statements;
  /** Bytes that died in the group in hand, by segment. */
  readonly #died = new Map<number, number>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  all(): SegmentRow[] {
    return this.#statements.all(`SELECT * FROM segment WHERE size <> ${MISSING} ORDER BY number`);
  }

  /** Those that were missing and are not forgotten; a clear makes them void. */
  missing(): MissingSegment[] {
    return this.#statements.all(
      `SELECT number, generation AS newest FROM segment WHERE size = ${MISSING} ORDER BY number`,
    );
  }

  addMissing({ number, newest }: MissingSegment): void {
    this.#statements.change(`INSERT OR IGNORE INTO segment VALUES (?, ?, ${MISSING}, 0)`, number, newest);
  }

  /** Of one without any record, which was cut short, the prologue counts: it must not pass for one to be written to. */
  seal(number: number, size: number): void {
    this.#statements.change(
      "INSERT INTO segment VALUES (?, 0, ?, 0) ON CONFLICT (number) DO UPDATE SET size = excluded.size",
      number,
      size || PROLOGUE_BYTES,
    );
  }

  /** A compaction has rewritten this segment. */
  replace({ number, generation, size, dead_bytes }: SegmentRow): void {
    this.#statements.change(
      "UPDATE segment SET generation = ?, size = ?, dead_bytes = ? WHERE number = ?",
      generation,
      size,
      dead_bytes,
      number,
    );
  }

  setGeneration(number: number, generation: number): void {
    this.#statements.change("UPDATE segment SET generation = ? WHERE number = ?", generation, number);
  }

  drop(number: number): void {
    this.#statements.change("DELETE FROM segment WHERE number = ?", number);
  }

  /** Counts as dead from the beginning: a compaction puts it into the record of its message. */
  addNote({ segment, bytes }: Note): void {
    this.addDead(segment, bytes);
  }

  addDead(number: number, bytes: number): void {
    if (bytes > 0) this.#died.set(number, (this.#died.get(number) ?? 0) + bytes);
  }

  saveDead(): void {
    for (const [number, bytes] of this.#died) {
      this.#statements.change(
        "INSERT INTO segment VALUES (?, 0, 0, ?) ON CONFLICT (number) DO UPDATE SET dead_bytes = dead_bytes + excluded.dead_bytes",
        number,
        bytes,
      );
    }
    this.#died.clear();
  }

  forgetDead(): void {
    this.#died.clear();
  }
}
