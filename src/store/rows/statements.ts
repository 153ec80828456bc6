// The SQL of the rows, each statement prepared once. A read sees the rows that wait to be written; a change
// is a part of the group's transaction.
import type { Database, Statement } from "bun:sqlite";
import type { RowsTransaction } from "./transaction.ts";

type Param = string | number | null;

/** Most statements are few and fixed; those built from filters are bounded by this. */
const MAX_CACHED = 200;

export class Statements {
  #db!: Database;
  #transaction!: RowsTransaction;
  readonly #prepared = new Map<string, Statement>();

  /** Goes on with another database, after `finish` has let go of the one before. */
  use(db: Database, transaction: RowsTransaction): void {
    this.#db = db;
    this.#transaction = transaction;
  }

  first<Row>(sql: string, ...params: Param[]): Row | null {
    this.#transaction.settle();
    return this.#prepare(sql).get(...params) as Row | null;
  }

  all<Row>(sql: string, ...params: Param[]): Row[] {
    this.#transaction.settle();
    return this.#prepare(sql).all(...params) as Row[];
  }

  /** Runs a statement as a part of the group; answers with the number of rows it has changed. */
  change(sql: string, ...params: Param[]): number {
    this.#transaction.open();
    return this.run(sql, ...params);
  }

  /** Runs a statement as it is: outside of a group, or by the transaction itself. */
  run(sql: string, ...params: Param[]): number {
    return this.#prepare(sql).run(...params).changes;
  }

  /** Lets go of every statement; what is used again is prepared again. */
  finish(): void {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
  }

  #prepare(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= MAX_CACHED) this.finish();
    const statement = this.#db.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
