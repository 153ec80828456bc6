// The segments of the FTS5 tables: what is written at a time becomes one, and a search goes through them one by one.
// Left to itself FTS5 merges them along with what is added, for as long as that takes: here it is done by hand,
// a little at a time.
import type { Database } from "bun:sqlite";

export const SEARCH_TABLES = ["mail", "long"] as const;
type SearchTable = (typeof SEARCH_TABLES)[number];

/** It can tell 2000 apart. */
const BY_HAND = { automerge: 0, crisismerge: 1999 };
/** `hashsize`: bytes that gather in memory before they are written. To write a megabyte takes up to 10 ms. */
const SETTINGS: Record<SearchTable, Readonly<Record<string, number>>> = {
  mail: { ...BY_HAND, hashsize: 1 << 20 },
  long: { ...BY_HAND, hashsize: 256 << 10 },
};
/** FTS5 reports a merge that found nothing to do as fewer changes than this. */
const MERGE_CHANGES = 2;

/** The settings are kept in the file, which may have been made with others. */
export function mergeByHand(db: Database): void {
  for (const table of SEARCH_TABLES) {
    const kept = new Map(db.query(`SELECT k, v FROM ${table}_config`).values() as [string, unknown][]);
    for (const [name, value] of Object.entries(SETTINGS[table]))
      if (kept.get(name) !== value)
        db.run(`INSERT INTO ${table} (${table}, rank) VALUES (?, ?)`, [name, value]);
  }
}

/** False when there was nothing to merge. A negative number of pages begins to merge all into one piece. */
export function mergeSome(db: Database, table: SearchTable, pages: number): boolean {
  const before = totalChanges(db);
  db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [pages]);
  return totalChanges(db) - before >= MERGE_CHANGES;
}

export function segmentsOf(db: Database, table: SearchTable): number {
  const [[structure] = []] = db.query(`SELECT block FROM ${table}_data WHERE id = 10`).values() as [
    Uint8Array,
  ][];
  return structure === undefined ? 0 : segmentsIn(structure);
}

const totalChanges = (db: Database): number =>
  (db.query("SELECT total_changes() AS n").get() as { n: number }).n;

/**
 * The structure record of FTS5: a cookie and a version of four bytes each, then numbers, of which the second is that
 * of the segments.
 */
function segmentsIn(structure: Uint8Array): number {
  let number = 0;
  let numbers = 0;
  for (const byte of structure.subarray(8)) {
    number = number * 128 + (byte & 127);
    if (byte > 127) continue;
    if (++numbers === 2) return number;
    number = 0;
  }
  return 0;
}
