// The log and the store in PostgreSQL keep the same contracts as those in memory and in files.
// Full-text search does not depend on the log: test/store/contract.test.ts tests it, and
// nodes.test.ts finds mail that another node acknowledged.
import { expect, test } from "bun:test";
import type { SQL } from "bun";
import { silentLogger } from "../../../src/lib/logger.ts";
import { connect } from "../../../src/store/log/postgres.ts";
import { PIECE_BYTES, TableBodies } from "../../../src/store/log/postgres-bodies.ts";
import { PostgresLog } from "../../../src/store/log/postgres-log.ts";
import { describeLog } from "../../contract/log.ts";
import { describeStore } from "../../contract/store.ts";
import { useFolders } from "../../support/folders.ts";
import { describeWithPostgres } from "../../support/postgres.ts";
import { openNode } from "../open.ts";
import { searchInProcess } from "../search-in-process.ts";

const freshFolder = useFolders();

async function openLog(url: string): Promise<PostgresLog> {
  const sql = await connect(url);
  return PostgresLog.open({ sql, bodies: new TableBodies(sql), staleReads: false, logger: silentLogger });
}

test("a piece that cannot be written fails its message, and is not an unhandled rejection", async () => {
  const sql = (() => Promise.reject(new Error("gone"))) as unknown as SQL;
  const writer = new TableBodies(sql).create();
  void writer.append(new Uint8Array(PIECE_BYTES));
  await new Promise(setImmediate);
  await expect(writer.finish()).rejects.toThrow("gone");
});

describeWithPostgres("with PostgreSQL", (postgres) => {
  let database: string | undefined;
  /** Every test closes what it opened, so all use one database. Making one takes ten times as long as emptying it. */
  const emptyDatabase = async () => {
    database ??= await postgres().createDatabase();
    await postgres().ask(database, "DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return database;
  };
  describeLog("the log in PostgreSQL", async () => {
    const url = await emptyDatabase();
    const log = await openLog(url);
    return {
      log,
      reopen: async () => {
        await log.close();
        return openLog(url);
      },
    };
  });
  describeStore("store in PostgreSQL", async (options) =>
    openNode(await emptyDatabase(), freshFolder(), {
      ...options,
      startSearchWorker: searchInProcess().start,
    }),
  );
});
