// Gives back what removed messages took up in the text index: merges it into one piece without them, then
// cuts the free pages off the file. In small steps, so that questions are answered in between.
import type { Database } from "bun:sqlite";

export const SEARCH_TABLES = ["mail", "long"] as const;
const MERGED_PAGES = 100;
const FREED_PAGES = 1000;
/** FTS5 reports a merge that found nothing to do as fewer changes than this. */
const MERGE_CHANGES = 2;

export type TidyStep = () => "more" | "done";

/** Each call is one step; no transaction may be open. */
export function startTidying(db: Database): TidyStep {
  const tables = [...SEARCH_TABLES];
  let isBegun = false;
  let free = Number.POSITIVE_INFINITY;
  return () => {
    const [table] = tables;
    if (table !== undefined) {
      isBegun = mergeSome(db, table, isBegun ? MERGED_PAGES : -MERGED_PAGES);
      if (!isBegun) tables.shift();
      return "more";
    }
    // A step runs to its end only when all its rows are fetched.
    db.query(`PRAGMA incremental_vacuum(${FREED_PAGES})`).all();
    const before = free;
    free = freePages(db);
    if (free > 0 && free < before) return "more";
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    return "done";
  };
}

/** False when there was nothing to merge. A negative number of pages begins to merge all into one piece. */
export function mergeSome(db: Database, table: (typeof SEARCH_TABLES)[number], pages: number): boolean {
  const before = totalChanges(db);
  db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [pages]);
  return totalChanges(db) - before >= MERGE_CHANGES;
}

const totalChanges = (db: Database): number =>
  (db.query("SELECT total_changes() AS n").get() as { n: number }).n;

const freePages = (db: Database): number =>
  (db.query("PRAGMA freelist_count").get() as { freelist_count: number }).freelist_count;
