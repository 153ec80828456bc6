// Gives back what removed messages took up in the text index: merges it into one piece without them, then
// cuts the free pages off the file. In small steps, so that questions are answered in between.
import type { Database } from "bun:sqlite";
import { mergeSome, SEARCH_TABLES } from "./segments.ts";

const MERGED_PAGES = 100;
const FREED_PAGES = 1000;

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

const freePages = (db: Database): number =>
  (db.query("PRAGMA freelist_count").get() as { freelist_count: number }).freelist_count;
