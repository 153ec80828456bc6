// Whether the text index holds what the log says; a part of `mailkeep verify`. Changes nothing.
import type { Database } from "bun:sqlite";
import { isOutdated, openTrusted } from "../derived-db.ts";
import type { Rows } from "../rows/rows.ts";
import { HELD_SEQS, SEARCH_SCHEMA } from "../search/schema.ts";
import { textIndexFault } from "../search/text-check.ts";
import type { Findings, StoreProblem } from "./problem.ts";
import type { CheckedLog } from "./verify-log.ts";
import { walk } from "./verify-rows.ts";

/**
 * The text index holds exactly the live messages up to where it stands, and what the next start has it remove; which
 * messages that are, the row index knows, if there is one.
 */
export function checkSearch(
  rows: Rows,
  toldAtStart: readonly number[] | null,
  { dir, salt }: CheckedLog,
  { problems, notes }: Findings,
): void {
  const { db, why } = openTrusted(dir.search, SEARCH_SCHEMA, salt);
  if (db !== null) {
    try {
      problems.push(...compareSearch(db, rows, toldAtStart, notes));
    } catch (error) {
      problems.push(searchUnusable((error as Error).message));
    } finally {
      db.close();
    }
  } else if (why === null) {
    if (rows.state.messages > 0) notes.push("the text index is missing; it is built by itself");
  } else if (isOutdated(dir.search, SEARCH_SCHEMA)) {
    notes.push("the text index is not yet built by this version; it is built by itself");
  } else {
    problems.push(searchUnusable(why));
  }
}

function compareSearch(
  db: Database,
  rows: Rows,
  toldAtStart: readonly number[] | null,
  notes: string[],
): StoreProblem[] {
  const fault = textIndexFault(db);
  if (fault !== null) return [searchUnusable(fault)];
  const { indexed_seq, cleared_seq } = db.query("SELECT * FROM state").get() as {
    indexed_seq: number;
    cleared_seq: number;
  };
  const isOfAnotherTime = cleared_seq !== rows.state.cleared_seq || indexed_seq > rows.state.last_seq;
  if (isOfAnotherTime || rows.after(indexed_seq, 1).length > 0)
    notes.push("the text index is behind the log; it catches up by itself");
  if (isOfAnotherTime) return [];
  const held = new Set((db.query(HELD_SEQS).values() as [number][]).map(([seq]) => seq));
  for (const row of walk(rows)) if (row.seq <= indexed_seq && !held.delete(row.seq)) return [SEARCH_DIFFERS];
  const unfinished = db.query("SELECT seq FROM unfinished").values() as [number][];
  for (const seq of [...rows.unsearchedDeletes(), ...(toldAtStart ?? []), ...unfinished.flat()])
    held.delete(seq);
  if (held.size > 0 && toldAtStart !== null) return [SEARCH_DIFFERS];
  if (held.size > 0) notes.push("the text index holds mail that was deleted; it is built anew by itself");
  return [];
}

const searchUnusable = (why: string): StoreProblem => ({
  kind: "search_unusable",
  message: `the text index cannot be used (${why}); 'mailkeep reindex' rebuilds it`,
});

const SEARCH_DIFFERS: StoreProblem = {
  kind: "search_differs",
  message: "the text index does not hold exactly the stored messages; 'mailkeep reindex' rebuilds it",
};
