// Writes and syncs that fail under a running server, and work again later: what is refused is not there, what was
// acknowledged is, and health says how it is.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { diskFaults } from "../../support/disk-faults/disk-faults.ts";
import { useFolders } from "../../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { canPreloadLibrary } from "../../support/preloaded-library.ts";
import { deliver, openSmtp } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { listen } from "./support/listen.ts";
import { listAll, storeHealth, total } from "./support/mailbox.ts";
import { send } from "./support/send.ts";

setDefaultTimeout(30_000);

const freshFolder = useFolders();
/** More than the rows that may wait for the index. */
const MANY = 600;

/** The subjects that were acknowledged, newest first, and the code of every refusal. */
async function sendMany({ smtpPort }: Running, name: string) {
  const acknowledged: string[] = [];
  const refusals = new Set<string>();
  const client = await openSmtp(smtpPort);
  await client.reply();
  await client.command("EHLO test");
  for (let i = 0; i < MANY; i++) {
    const raw = `Subject: ${name}${i}\r\n\r\n`;
    await client.command("MAIL FROM:<a@example.com>");
    await client.command("RCPT TO:<b@example.com>");
    client.write(`BDAT ${raw.length} LAST\r\n${raw}`);
    const reply = await client.reply();
    if (reply.startsWith("250")) acknowledged.unshift(`${name}${i}`);
    else refusals.add(reply.slice(0, 3));
  }
  client.end();
  return { acknowledged, refusals: [...refusals] };
}

const subjectsOf = async ({ http }: Running) => (await listAll(http)).map(({ subject }) => subject);

const patch = async ({ http }: Running, id: string) =>
  (await fetch(`${http}/api/v1/messages/${id}`, { method: "PATCH", body: '{"is_read":true}' })).status;

describe.skipIf(!canPreloadLibrary)("needs a C compiler, on Linux", () => {
  test("a disk without room for the index wedged the server until a restart, and health said that all was well", async () => {
    using faults = diskFaults("/index.sqlite-wal");
    const dataDir = freshFolder();
    let subjects: string[];
    {
      await using server = await startMailkeep({ dataDir, environment: faults.environment });
      const id = await deliver(server.smtpPort, { raw: "Subject: before\r\n\r\n" });
      expect(await patch(server, id)).toBe(200);
      faults.set({ write: "ENOSPC" });
      const during = await sendMany(server, "during");
      expect(during.refusals).toEqual(["452"]);
      subjects = [...during.acknowledged, "before"];
      expect(await subjectsOf(server)).toEqual(subjects);
      expect(await patch(server, id)).toBe(507);
      expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk is full" });

      faults.set({});
      expect(await storeHealth(server.http)).toEqual({ status: "ok", store: "ok" });
      const after = await sendMany(server, "after");
      expect(after.refusals).toEqual([]);
      subjects.unshift(...after.acknowledged);
      expect(await patch(server, id)).toBe(200);
      expect(await subjectsOf(server)).toEqual(subjects);
      expect(await total(server.http, "q=refused")).toBe(0);
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    await using again = await startMailkeep({ dataDir });
    expect(await subjectsOf(again)).toEqual(subjects);
    expect(await again.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });

  test("a disk that does not confirm what was written did all the same what it refused", async () => {
    using faults = diskFaults("/log");
    const dataDir = freshFolder();
    const args = ["--durability", "disk"];
    {
      await using server = await startMailkeep({ dataDir, args, environment: faults.environment });
      const listener = await listen(server.http, "");
      const id = await deliver(server.smtpPort, { raw: "Subject: before\r\n\r\n" });
      const before = await listAll(server.http);
      const remove = async (path: string) =>
        (await fetch(`${server.http}/api/v1/messages${path}`, { method: "DELETE" })).status;
      faults.set({ sync: "EIO" });
      for (const bytes of [10, 600_000]) expect(await send(server, "refused", bytes)).toStartWith("451");
      expect(await patch(server, id)).toBe(503);
      expect(await remove(`/${id}`)).toBe(503);
      expect(await remove("")).toBe(503);
      expect(await listAll(server.http)).toEqual(before);
      expect(await total(server.http, "q=refused")).toBe(0);
      expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk fails" });

      faults.set({});
      expect(await storeHealth(server.http)).toEqual({ status: "ok", store: "ok" });
      expect(await send(server, "after", 10)).toStartWith("250");
      expect(await patch(server, id)).toBe(200);
      await until(() => listener.frames.length >= 3, "an event for all that was done");
      const types = listener.frames.map(({ type }) => type);
      expect(types).toEqual(["message:new", "message:new", "message:read"]);
      faults.set({ sync: "EIO" });
      expect(await send(server, "refused", 10)).toStartWith("451");
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    await using again = await startMailkeep({ dataDir, args });
    expect((await listAll(again.http)).map(({ subject, is_read }) => [subject, is_read])).toEqual([
      ["after", false],
      ["before", true],
    ]);
    expect(await again.stop()).toBe(0);
  });
});
