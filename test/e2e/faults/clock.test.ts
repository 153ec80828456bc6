// A clock that steps. The store is filled in this process with a clock in hand, then the real Mailkeep, with
// the real clock, goes on from there: ids go on growing, whichever way the time went.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openFiles, put } from "../../store/open.ts";
import { startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { useFolders } from "./support/folders.ts";
import { listAll } from "./support/mailbox.ts";

setDefaultTimeout(30_000);

const freshFolder = useFolders();
const HOUR_MS = 3_600_000;
const mail = (subject: string) => `Subject: ${subject}\r\n\r\n`;

test.each([
  ["from the past", [-48, -47]],
  ["from the future", [24, 48]],
  ["from a clock that stepped back and forth", [48, -100, 0, 72, 1]],
])("mail %s stays in its order of arrival, before what comes now", async (_, hours) => {
  const dataDir = freshFolder();
  let time = 0;
  const store = await openFiles(dataDir, { now: () => new Date(time) });
  const arrived: string[] = [];
  for (const hour of hours) {
    time = Date.now() + hour * HOUR_MS;
    for (const part of ["a", "b"]) arrived.unshift((await put(store, mail(`${hour}${part}`))).id);
  }
  await store.close();

  await using server = await startMailkeep({ dataDir });
  const before = Date.now();
  for (let index = 0; index < 3; index++)
    arrived.unshift(await deliver(server.smtpPort, { raw: mail(`now ${index}`) }));
  const found = await listAll(server.http);
  expect(found.map(({ id }) => id)).toEqual(arrived);
  expect(arrived).toEqual(arrived.toSorted().reverse());
  const newest = Date.parse(found[0]?.created_at ?? "");
  expect(newest).toBeGreaterThanOrEqual(before);
  expect(newest).toBeLessThanOrEqual(Date.now());
});

test("retention does not take mail from the future for old, nor new mail for old after a step", async () => {
  const dataDir = freshFolder();
  let time = Date.now() + 48 * HOUR_MS;
  const store = await openFiles(dataDir, { now: () => new Date(time) });
  const { id: future } = await put(store, mail("future"));
  time = Date.now() - 48 * HOUR_MS;
  await put(store, mail("old"));
  await store.close();
  await using server = await startMailkeep({ dataDir, args: ["--retention=24h"] });
  const id = await deliver(server.smtpPort, { raw: mail("now") });
  await server.line((line) => line.includes("retention") || line.includes(id));
  const left = (await listAll(server.http)).map((summary) => summary.id);
  expect(left).toContain(future);
  expect(left).toContain(id);
});
