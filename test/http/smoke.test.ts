// One mail over HTTP, from arrival to deletion.
import { expect, test } from "bun:test";
import { mail, startMailkeep } from "./support/mailkeep.ts";

test("a received mail is listed, read, changed and deleted", async () => {
  const mailkeep = await startMailkeep();
  const stored = await mailkeep.receive(mail("Hello"));
  const at = `${mailkeep.url}/api/v1/messages/${stored.id}`;
  const list = await fetch(`${mailkeep.url}/api/v1/messages`);
  expect(await list.json()).toEqual({ messages: [stored], total: 1, next_cursor: null, limit: 50 });
  expect(await (await fetch(`${at}/raw`)).text()).toBe(mail("Hello"));
  const changed = await fetch(at, { method: "PATCH", body: '{"is_read":true}' });
  expect(await changed.json()).toEqual({ ...stored, is_read: true });
  expect((await fetch(at, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(at)).status).toBe(404);
  await mailkeep.stop();
});
