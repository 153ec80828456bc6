// The text index as the store sees it. What is told and asked here is answered in that order,
// so a search sees every change that was made before it.
import type { MessageFilter } from "../../model/index.ts";
import type { SeqRange } from "../rows/filter-sql.ts";
import type { Found } from "../rows/matching-rows.ts";
import type { MessageRow } from "../rows/row.ts";

export interface SearchIndex {
  add(row: MessageRow): void;
  remove(seqs: readonly number[]): void;
  clear(): void;
  /** A page of what matches `q` and the rest of the filter. */
  find(q: string, filter: MessageFilter, range: SeqRange, limit: number, offset: number): Promise<Found>;
  /** How many match. */
  count(q: string, filter: MessageFilter): Promise<number>;
  /** Everything that matches, oldest first. */
  all(q: string, filter: MessageFilter, range: SeqRange): Promise<number[]>;
  /** Whether searches need not wait long for a message that was just added. */
  isSoonSearchable(message: { readonly id: string; readonly size: number }): boolean;
  /** Resolves when a message is found by all of its text; until then searches do not wait for it. */
  searchable(seq: number): Promise<void>;
  close(): Promise<void>;
}
