// Whether a text index holds all that was put into it. SQLite's own checks see no more than its pages, and those of
// FTS5 not whether postings are missing. But each text is held with its number of words: they must add up.
import type { Database } from "bun:sqlite";
import { SEARCH_TABLES } from "./segments.ts";

/** Says what is wrong, or null. */
export function textIndexFault(db: Database): string | null {
  for (const table of SEARCH_TABLES) {
    db.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
    if (postingsIn(db, table) !== wordsIn(db, table)) return "words of some texts are missing from it";
  }
  return null;
}

function postingsIn(db: Database, table: string): number {
  db.run(`CREATE VIRTUAL TABLE temp.postings USING fts5vocab (main, ${table}, instance)`);
  try {
    return (db.query("SELECT count(*) AS n FROM temp.postings").get() as { n: number }).n;
  } finally {
    db.run("DROP TABLE temp.postings");
  }
}

function wordsIn(db: Database, table: string): number {
  let words = 0;
  for (const [sizes] of db.query(`SELECT sz FROM ${table}_docsize`).values() as [Uint8Array][])
    words += sumOfVarints(sizes);
  return words;
}

/** One for each column, seven bits a byte, the highest first; the last byte of each has the top bit clear. */
function sumOfVarints(bytes: Uint8Array): number {
  let [sum, value] = [0, 0];
  for (const byte of bytes) {
    value = value * 128 + (byte & 127);
    if (byte >= 128) continue;
    sum += value;
    value = 0;
  }
  return sum;
}
