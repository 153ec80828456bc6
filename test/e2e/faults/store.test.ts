// What clients see when the store fails. The store itself is tested in test/store.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskFaults } from "../../support/disk-faults/disk-faults.ts";
import { useFolders } from "../../support/folders.ts";
import { listen } from "../../support/listen.ts";
import { listAll, rawOf, storeHealth, total } from "../../support/mailbox.ts";
import { type Running, runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { canPreloadLibrary } from "../../support/preloaded-library.ts";
import { canMount, fillDisk, mountSmallDisk } from "../../support/small-disk.ts";
import { deliver, openSession, sendMail } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";

const freshFolder = useFolders();
const OK = { status: "ok", store: "ok" };

const subjects = async ({ http }: Running) => (await listAll(http)).map(({ subject }) => subject);

const statusOf = async ({ http }: Running, method: string, path: string, body?: string) =>
  (await fetch(`${http}/api/v1/messages${path}`, { method, ...(body ? { body } : {}) })).status;

const READ = '{"is_read":true}';

async function send({ smtpPort }: Running, subject: string, bytes: number): Promise<string> {
  const raw = `Subject: ${subject}\r\n\r\n${"x".repeat(bytes)}\r\n`;
  const client = await openSession(smtpPort);
  const reply = await sendMail(client, { raw });
  client.end();
  return reply;
}

describe.skipIf(!canMount)("on a full disk (needs root on Linux, to mount one)", () => {
  test("mail gets 452 and changes 507; reading and deleting work, and everything does when there is room", async () => {
    using disk = mountSmallDisk(freshFolder(), 12 << 20);
    const dataDir = join(disk.path, "data");
    await using server = await startMailkeep({ dataDir });
    const ids: string[] = [];
    for (const name of ["first", "second"])
      ids.push(await deliver(server.smtpPort, { raw: `Subject: ${name}\r\n\r\n` }));
    await until(() => existsSync(join(dataDir, "reserve")), "the room kept for deleting");
    fillDisk(join(disk.path, "others"));

    for (const bytes of [10, 900_000]) expect(await send(server, "refused", bytes)).toStartWith("452");
    expect(await statusOf(server, "PATCH", `/${ids[0]}`, READ)).toBe(507);
    expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk is full" });
    expect(await subjects(server)).toEqual(["second", "first"]);
    expect((await rawOf(server.http, ids[1] ?? "")).toString()).toStartWith("Subject: second\r\n");
    expect(await statusOf(server, "DELETE", `/${ids[1]}`)).toBe(204);
    expect(await subjects(server)).toEqual(["first"]);

    rmSync(join(disk.path, "others"));
    expect(await send(server, "after", 900_000)).toStartWith("250");
    expect(await statusOf(server, "PATCH", `/${ids[0]}`, READ)).toBe(200);
    expect(await total(server.http, "q=first")).toBe(1);
    expect(await storeHealth(server.http)).toEqual(OK);
    expect(await server.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canPreloadLibrary)("on a disk that confirms no sync (needs a C compiler, on Linux)", () => {
  test("mail gets 451 and changes 503; they cause no event, and are not there after a kill", async () => {
    using faults = diskFaults("/log");
    const dataDir = freshFolder();
    const args = ["--durability", "disk"];
    {
      await using server = await startMailkeep({ dataDir, args, environment: faults.environment });
      const listener = await listen(server.http, "");
      const id = await deliver(server.smtpPort, { raw: "Subject: before\r\n\r\n" });
      faults.set({ sync: "EIO" });
      for (const bytes of [10, 600_000]) expect(await send(server, "refused", bytes)).toStartWith("451");
      expect(await statusOf(server, "PATCH", `/${id}`, READ)).toBe(503);
      for (const path of [`/${id}`, ""]) expect(await statusOf(server, "DELETE", path)).toBe(503);
      expect([await subjects(server), await total(server.http, "q=refused")]).toEqual([["before"], 0]);
      faults.set({});
      expect(await send(server, "after", 10)).toStartWith("250");
      expect(await statusOf(server, "PATCH", `/${id}`, READ)).toBe(200);
      await until(() => listener.frames.length >= 3, "an event for all that was done");
      expect(listener.frames.map(({ type }) => type)).toEqual(["message:new", "message:new", "message:read"]);
      faults.set({ sync: "EIO" });
      expect(await send(server, "refused", 10)).toStartWith("451");
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    await using again = await startMailkeep({ dataDir, args });
    expect(await subjects(again)).toEqual(["after", "before"]);
    expect(await again.stop()).toBe(0);
  });
});

test("a damaged mail is 404, with a line in the log; all others are served, and new ones taken", async () => {
  const dataDir = freshFolder();
  const ids: string[] = [];
  {
    await using server = await startMailkeep({ dataDir });
    for (const name of ["first", "second", "third"])
      ids.push(await deliver(server.smtpPort, { raw: `Subject: ${name}\r\n\r\n${name} body\r\n` }));
    expect(await server.stop()).toBe(0);
  }
  const segment = join(dataDir, "log", readdirSync(join(dataDir, "log"))[0] ?? "");
  const bytes = readFileSync(segment);
  bytes.write("SECOND", bytes.indexOf("second body"));
  writeFileSync(segment, bytes);
  await using server = await startMailkeep({ dataDir });
  const statuses = await Promise.all(ids.map((id) => statusOf(server, "GET", `/${id}/raw`)));
  expect(statuses).toEqual([200, 404, 200]);
  await server.line((line) => line.includes('"log damaged"'));
  expect(await send(server, "next", 10)).toStartWith("250");
  expect(await subjects(server)).toEqual(["next", "third", "first"]);
  expect(await storeHealth(server.http)).toEqual(OK);
  expect(await server.stop()).toBe(0);
});

test.skipIf(process.platform === "win32")(
  "a data folder that is removed under the server: nothing is acknowledged (not on Windows)",
  async () => {
    const dataDir = join(freshFolder(), "data");
    await using server = await startMailkeep({ dataDir });
    const id = await deliver(server.smtpPort, { raw: "Subject: before\r\n\r\n" });
    rmSync(dataDir, { recursive: true });
    for (const bytes of [10, 600_000]) expect(await send(server, "refused", bytes)).toStartWith("451");
    expect(await statusOf(server, "PATCH", `/${id}`, READ)).toBe(503);
    expect(await statusOf(server, "DELETE", "")).toBe(503);
    expect(await storeHealth(server.http)).toEqual({
      status: "failing",
      store: `${dataDir} has been removed`,
    });
    expect(await subjects(server)).toEqual(["before"]);
    expect(await server.stop()).toBe(0);
  },
);

test("a start without a segment of the log names it and ends; --accept-loss goes on without its mail", async () => {
  const dataDir = freshFolder();
  {
    await using server = await startMailkeep({ dataDir });
    await deliver(server.smtpPort, { raw: "Subject: lost\r\n\r\n" });
    expect(await server.stop()).toBe(0);
  }
  const [name = ""] = readdirSync(join(dataDir, "log"));
  rmSync(join(dataDir, "log", name));
  const serve = ["serve", "--smtp-port=0", "--http-port=0", "--data-dir", dataDir];
  const { code, err } = await runMailkeep(serve);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^mailkeep: .* is missing .*--accept-loss.*\n$/),
  });
  expect(err).toContain(name);
  await using server = await startMailkeep({ dataDir, args: ["--accept-loss"] });
  expect(await send(server, "next", 10)).toStartWith("250");
  expect(await subjects(server)).toEqual(["next"]);
  expect(await server.stop()).toBe(0);
});
