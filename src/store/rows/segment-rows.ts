// The table of the log's segments: sealed ones, and the active one if something in it is dead. From here
// a compaction knows what is worth rewriting.
import type { Note } from "../log/log.ts";
import type { Statements } from "./statements.ts";

export interface SegmentRow {
  readonly number: number;
  readonly generation: number;
  /** 0 while the segment is still written to. */
  readonly size: number;
  readonly dead_bytes: number;
}

export class SegmentRows {
  readonly #statements: Statements;
  /** Bytes that died in the group in hand, by segment. */
  readonly #died = new Map<number, number>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  all(): SegmentRow[] {
    return this.#statements.all("SELECT * FROM segment ORDER BY number");
  }

  seal(number: number, size: number): void {
    this.#statements.change(
      "INSERT INTO segment VALUES (?, 0, ?, 0) ON CONFLICT (number) DO UPDATE SET size = excluded.size",
      number,
      size,
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
