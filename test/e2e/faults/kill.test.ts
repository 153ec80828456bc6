// Kills the server with kill -9 while clients send, mark and delete mail. After each restart the
// mailbox must agree with the answers that the clients got, and every mail must be unchanged.
import { expect, test } from "bun:test";
import { useFolders } from "../../support/folders.ts";
import { health, listAll, rawOf, total } from "../../support/mailbox.ts";
import { runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { until } from "../../support/until.ts";
import { Ledger } from "./support/ledger.ts";
import { loadUntilGone } from "./support/load.ts";

const freshFolder = useFolders();
const ROUNDS = 3;

/** Kills the server after a number of answers that is higher in each round. */
async function killUnderLoad(dataDir: string, ledger: Ledger, round: number) {
  await using server = await startMailkeep({ dataDir });
  let killed = false;
  const target = ledger.acknowledged + 150 + 97 * round;
  const load = loadUntilGone(
    server,
    ledger,
    { senders: 6, name: `r${round}`, clearEvery: 180 },
    () => killed,
  );
  const kill = until(() => ledger.acknowledged >= target, "the answers of this round").then(() => {
    killed = true;
    server.process.kill("SIGKILL");
  });
  await Promise.all([load, kill]);
}

test("after kill -9 under load no acknowledged mail is lost, duplicated or changed, and no deleted mail is back", async () => {
  const dataDir = freshFolder();
  const ledger = new Ledger();
  let compared = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await killUnderLoad(dataDir, ledger, round);

    await using server = await startMailkeep({ dataDir });
    const found = await listAll(server.http);
    expect(ledger.differences(found)).toEqual([]);
    expect(found.map(({ id }) => id)).toEqual(
      found
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    for (const { id, subject } of found) {
      const raw = await rawOf(server.http, id);
      expect({ subject, same: raw.equals(ledger.rawOf(subject)) }).toEqual({ subject, same: true });
      compared++;
    }
    for (const { subject } of found.slice(0, 5))
      expect({ subject, found: await total(server.http, `q=${subject}`) }).toEqual({ subject, found: 1 });
    expect(await health(server.http)).toBe("ok");
    ledger.settle(found);
    expect(await server.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  }
  expect(compared).toBeGreaterThan(0);
});
