// The data folder, or the log in it, is removed under a running server: mail was acknowledged, and went nowhere.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { useFolders } from "../../support/folders.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { listAll, rawOf, storeHealth, total } from "./support/mailbox.ts";
import { send } from "./support/send.ts";

setDefaultTimeout(30_000);

const freshFolder = useFolders();
const SMALL = "Subject: small\r\n\r\nkept\r\n";
const LARGE = `Subject: large\r\n\r\n${"x".repeat(600_000)}\r\n`;
const GONE = { status: "failing", store: "the log is gone from the data folder" };

const subjects = async ({ http }: Running) => (await listAll(http)).map(({ subject }) => subject);

/** The lines of this event; what the program logs is read a little later. */
async function logged({ lines }: Running, event: string) {
  const found = () => lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);
  await until(() => found().length > 0, `${event} in the log`);
  return found();
}

async function change({ http }: Running, method: string, path = "", body?: string): Promise<number> {
  return (await fetch(`${http}/api/v1/messages${path}`, { method, ...(body ? { body } : {}) })).status;
}

/** The server may look for its file a little later: until then a change may pass. */
const noticed = (server: Running, id: string) =>
  until(async () => (await change(server, "PATCH", `/${id}`, '{"is_read":true}')) === 503, "a refusal");

/** Not a thing is acknowledged, and what is there is served. */
async function expectRefusal(server: Running, smallId: string): Promise<void> {
  for (const bytes of [10, 600_000, 10]) expect(await send(server, "refused", bytes)).toStartWith("451");
  expect(await change(server, "PATCH", `/${smallId}`, '{"is_read":true}')).toBe(503);
  expect(await change(server, "DELETE", `/${smallId}`)).toBe(503);
  expect(await change(server, "DELETE")).toBe(503);
  expect(await storeHealth(server.http)).toEqual(GONE);
  expect(await subjects(server)).toEqual(["large", "small"]);
  expect((await rawOf(server.http, smallId)).toString()).toBe(SMALL);
}

describe.skipIf(process.platform === "win32")("removed under a running server (Windows lets nobody):", () => {
  const empty = (folder: string) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  };
  const cases: [string, (dataDir: string) => void][] = [
    ["the files of the log", (dataDir) => empty(join(dataDir, "log"))],
    ["all that is in the folder", empty],
    ["the folder", (dataDir) => rmSync(dataDir, { recursive: true })],
    [
      "the folder, with a new one in its place",
      (dataDir) => {
        rmSync(dataDir, { recursive: true });
        for (const name of ["log", "large", "incoming"]) mkdirSync(join(dataDir, name), { recursive: true });
      },
    ],
  ];
  for (const durability of ["os", "disk"])
    test.each(cases)(`%s, --durability ${durability}: mail is refused`, async (_, remove) => {
      const dataDir = join(freshFolder(), "data");
      {
        await using server = await startMailkeep({ dataDir, args: ["--durability", durability] });
        const id = await deliver(server.smtpPort, { raw: SMALL });
        await deliver(server.smtpPort, { raw: LARGE });
        remove(dataDir);
        await noticed(server, id);
        await expectRefusal(server, id);
        const [line, ...more] = await logged(server, "log_gone");
        expect(line).toMatchObject({ level: "error", advice: expect.stringContaining("restart") });
        expect(line.file).toStartWith(join(dataDir, "log"));
        expect(more).toEqual([]);
        expect(await server.stop()).toBe(0);
      }
      await using again = await startMailkeep({ dataDir });
      for (const bytes of [10, 600_000]) expect(await send(again, "after", bytes)).toStartWith("250");
      expect(await subjects(again)).toEqual(["after", "after"]);
      expect(await storeHealth(again.http)).toEqual({ status: "ok", store: "ok" });
    });

  /** As a restored backup is, while what was there before is still somewhere. */
  const replaceByCopy = (path: string, aside: string) => {
    renameSync(path, aside);
    cpSync(aside, path, { recursive: true, preserveTimestamps: true });
  };
  const [SEGMENT, LOCK] = [join("log", "0000000001-0.seg"), "lock.sqlite"];
  const copies: [string, (dataDir: string, aside: string) => void][] = [
    ["the folder", (dataDir, aside) => replaceByCopy(dataDir, aside)],
    ["the log", (dataDir, aside) => replaceByCopy(join(dataDir, "log"), aside)],
    ["a file of the log", (dataDir, aside) => replaceByCopy(join(dataDir, SEGMENT), aside)],
    ["the lock", (dataDir, aside) => replaceByCopy(join(dataDir, LOCK), aside)],
    [
      "the lock, which has a second name,",
      (dataDir, aside) => {
        const lock = join(dataDir, LOCK);
        linkSync(lock, aside);
        cpSync(lock, `${lock}-copy`);
        renameSync(`${lock}-copy`, lock);
      },
    ],
  ];
  test.each(copies)("%s replaced by a copy: mail was acknowledged, and missing there", async (_, replace) => {
    const folder = freshFolder();
    const dataDir = join(folder, "data");
    {
      await using server = await startMailkeep({ dataDir });
      const id = await deliver(server.smtpPort, { raw: SMALL });
      replace(dataDir, join(folder, "aside"));
      await noticed(server, id);
      for (const bytes of [10, 600_000]) expect(await send(server, "refused", bytes)).toStartWith("451");
      expect((await storeHealth(server.http)).status).toBe("failing");
      expect(await server.stop()).toBe(0);
    }
    await using again = await startMailkeep({ dataDir });
    expect(await subjects(again)).toEqual(["small"]);
  });

  test("a folder that is moved away and back is used again as if nothing had been", async () => {
    const dataDir = join(freshFolder(), "data");
    {
      await using server = await startMailkeep({ dataDir });
      const small = await deliver(server.smtpPort, { raw: SMALL });
      const large = await deliver(server.smtpPort, { raw: LARGE });
      renameSync(dataDir, `${dataDir}-elsewhere`);
      await noticed(server, small);
      await expectRefusal(server, small);
      await rawOf(server.http, large);
      renameSync(`${dataDir}-elsewhere`, dataDir);
      for (const bytes of [10, 600_000]) expect(await send(server, "after", bytes)).toStartWith("250");
      expect(await storeHealth(server.http)).toEqual({ status: "ok", store: "ok" });
      expect((await rawOf(server.http, large)).toString()).toBe(LARGE);
      expect(await logged(server, "log_gone")).toHaveLength(1);
      expect(await logged(server, "log_back")).toHaveLength(1);
      expect(await server.stop()).toBe(0);
    }
    await using again = await startMailkeep({ dataDir });
    expect(await subjects(again)).toEqual(["after", "after", "large", "small"]);
    expect(await total(again.http, "q=after")).toBe(2);
  });

  test.each(["deleted", "moved away"])(
    "the lock %s: a second server started, both took mail",
    async (how) => {
      const folder = freshFolder();
      const dataDir = join(folder, "data");
      await using first = await startMailkeep({ dataDir });
      const id = await deliver(first.smtpPort, { raw: SMALL });
      if (how === "deleted") rmSync(join(dataDir, LOCK));
      else renameSync(join(dataDir, LOCK), join(folder, "aside"));
      rmSync(join(dataDir, "lock.sqlite.pid"));
      const kept = ["last", "second", "small"];
      {
        await using second = await startMailkeep({ dataDir });
        for (const bytes of [10, 600_000]) expect(await send(first, "refused", bytes)).toStartWith("451");
        expect(await change(first, "PATCH", `/${id}`, '{"is_read":true}')).toBe(503);
        expect(await change(first, "DELETE")).toBe(503);
        const gone = { status: "failing", store: "the lock is gone from the data folder" };
        expect(await storeHealth(first.http)).toEqual(gone);
        expect(await logged(first, "lock_gone")).toHaveLength(1);
        expect(await send(second, "second", 10)).toStartWith("250");
        expect(await first.stop()).toBe(0);
        expect(await send(second, "last", 10)).toStartWith("250");
        expect(await subjects(second)).toEqual(kept);
        second.process.kill("SIGKILL");
        await second.process.exited;
      }
      await using again = await startMailkeep({ dataDir });
      expect(await subjects(again)).toEqual(kept);
      expect(await storeHealth(again.http)).toEqual({ status: "ok", store: "ok" });
    },
  );

  test("the lock, under load: what either server acknowledged is there", async () => {
    const dataDir = join(freshFolder(), "data");
    await using first = await startMailkeep({ dataDir });
    const acknowledged: string[] = [];
    let sent = 0;
    let isRefused = false;
    const load = (async () => {
      while (!isRefused) {
        const subject = `first ${sent++}`;
        isRefused = !(await send(first, subject, 10)).startsWith("250");
        if (!isRefused) acknowledged.push(subject);
      }
    })();
    await until(() => acknowledged.length > 5, "mail in the store");
    rmSync(join(dataDir, "lock.sqlite"));
    await using second = await startMailkeep({ dataDir });
    await load;
    expect(await send(second, "second", 10)).toStartWith("250");
    expect(await first.stop()).toBe(0);
    expect((await subjects(second)).toReversed()).toEqual([...acknowledged, "second"]);
  });
});
