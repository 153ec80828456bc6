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

/** A segment whose file was missing or cut short at a start. It may be put back. */
export interface LackingSegment {
  readonly number: number;
  /** The newest that there was: those from it to this one may say something of its messages. */
  readonly newest: number;
  /** What was left of the file; 0 when it was missing. */
  readonly left_bytes: number;
  /** What there was of it before, as far as the rows had seen: with less it is not back. */
  readonly whole_bytes: number;
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

  get(number: number): SegmentRow | null {
    return this.#statements.first("SELECT * FROM segment WHERE number = ?", number);
  }

  /** Those that are not forgotten; a clear makes them void. */
  lacking(): LackingSegment[] {
    return this.#statements.all("SELECT * FROM lacking ORDER BY number");
  }

  addLacking({ number, newest, left_bytes, whole_bytes }: LackingSegment): void {
    this.#statements.change(
      "INSERT INTO lacking VALUES (?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET newest = max(newest, excluded.newest), left_bytes = excluded.left_bytes, whole_bytes = max(whole_bytes, excluded.whole_bytes)",
      number,
      newest,
      left_bytes,
      whole_bytes,
    );
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
