// One PostgreSQL for a test file. Its tests are skipped if PostgreSQL is not installed.
import { afterAll, beforeAll, describe } from "bun:test";
import { findPostgres, type Postgres, startPostgres } from "../../scripts/postgres.ts";

const programs = findPostgres();
const START_MS = 300_000;

export function describeWithPostgres(name: string, tests: (postgres: () => Postgres) => void): void {
  describe.skipIf(programs === null)(name, () => {
    let server: Postgres | null = null;
    beforeAll(async () => {
      server = await startPostgres(programs ?? "", ["fsync=off"]);
    }, START_MS);
    afterAll(async () => {
      await server?.stop();
    });
    tests(() => {
      if (server === null) throw new Error("PostgreSQL has not started");
      return server;
    });
  });
}
