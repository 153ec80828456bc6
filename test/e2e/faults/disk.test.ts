// A disk that is full, and has room again; a disk that may not be written to. Both are real, small file systems.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { canFailDisk, mountFailingDisk } from "../../support/failing-disk.ts";
import { useFolders } from "../../support/folders.ts";
import { runMailkeep, startMailkeep } from "../../support/mailkeep.ts";
import { canMount, coverReadOnly, fillDisk, mountSmallDisk } from "../../support/small-disk.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { listAll, rawOf, storeHealth, total } from "./support/mailbox.ts";
import { send } from "./support/send.ts";

setDefaultTimeout(30_000);

const freshFolder = useFolders();
const MiB = 1024 ** 2;

describe.skipIf(!canMount)("a full disk (needs root on Linux, to mount one)", () => {
  test("refuses mail with 452, goes on serving, lets mail be deleted, and takes mail when there is room", async () => {
    using disk = mountSmallDisk(freshFolder(), 6 * MiB);
    const dataDir = join(disk.path, "data");
    await using server = await startMailkeep({ dataDir });
    const kept = [
      await deliver(server.smtpPort, { raw: "Subject: before\r\n\r\nkept\r\n" }),
      await deliver(server.smtpPort, { raw: "Subject: doomed\r\n\r\nkept, too\r\n" }),
    ];
    await until(() => existsSync(join(dataDir, "reserve")), "the room kept for deleting");
    const filler = join(disk.path, "filler");
    fillDisk(filler);

    for (const bytes of [100_000, 900_000]) expect(await send(server, "refused", bytes)).toStartWith("452");
    expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk is full" });
    const [, doomed = ""] = kept;
    expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(["doomed", "before"]);
    expect((await rawOf(server.http, doomed)).toString()).toBe("Subject: doomed\r\n\r\nkept, too\r\n");
    expect((await fetch(`${server.http}/api/v1/messages/${doomed}`, { method: "DELETE" })).status).toBe(204);
    expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(["before"]);

    rmSync(filler);
    expect(await send(server, "after", 900_000)).toStartWith("250");
    expect(await send(server, "small", 100)).toStartWith("250");
    expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(["small", "after", "before"]);
    expect(await storeHealth(server.http)).toEqual({ status: "ok", store: "ok" });
    expect(await server.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });

  test("that fills up in the middle of many mails keeps exactly those it has acknowledged", async () => {
    using disk = mountSmallDisk(freshFolder(), 5 * MiB);
    const dataDir = join(disk.path, "data");
    const acknowledged: string[] = [];
    let refused = 0;
    {
      await using server = await startMailkeep({ dataDir });
      await until(() => existsSync(join(dataDir, "reserve")), "the room kept for deleting");
      for (let index = 0; index < 60; index++) {
        const reply = await send(server, `m${index}`, index % 7 === 6 ? 400_000 : 90_000);
        if (reply.startsWith("250")) acknowledged.unshift(`m${index}`);
        else refused++;
      }
      expect(refused).toBeGreaterThan(0);
      expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(acknowledged);
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    await using again = await startMailkeep({ dataDir });
    expect((await listAll(again.http)).map(({ subject }) => subject)).toEqual(acknowledged);
    expect((await fetch(`${again.http}/api/v1/messages`, { method: "DELETE" })).status).toBe(200);
    expect(await send(again, "room again", 400_000)).toStartWith("250");
  });
});

describe.skipIf(!canMount)("a full disk under load (needs root on Linux, to mount one)", () => {
  test("lets every mail be deleted, though others try to take each byte that becomes free", async () => {
    using disk = mountSmallDisk(freshFolder(), 8 * MiB);
    const dataDir = join(disk.path, "data");
    await using server = await startMailkeep({ dataDir });
    await until(() => existsSync(join(dataDir, "reserve")), "the room kept for deleting");
    let stopped = false;
    let refused = 0;
    const sendForEver = async (bytes: number) => {
      while (!stopped) if (!(await send(server, "greedy", bytes)).startsWith("250")) refused++;
    };
    const senders = [3000, 20_000, 100_000, 400_000].map(sendForEver);
    await until(() => refused > 20, "the disk to be full");
    const ids = (await listAll(server.http)).map(({ id }) => id);
    const answers: number[] = [];
    for (const id of ids)
      answers.push((await fetch(`${server.http}/api/v1/messages/${id}`, { method: "DELETE" })).status);
    stopped = true;
    await Promise.all(senders);
    expect(answers.filter((status) => status !== 204)).toEqual([]);
    expect(readdirSync(join(dataDir, "incoming"))).toEqual([]);
    expect((await fetch(`${server.http}/api/v1/messages`, { method: "DELETE" })).status).toBe(200);
    expect(await send(server, "room again", 1_000_000)).toStartWith("250");
    expect(await server.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canMount)("a read-only disk (needs root on Linux, to mount one)", () => {
  test("ends the start with one clear line, and all mail is there when it may be written again", async () => {
    using disk = mountSmallDisk(freshFolder(), 6 * MiB);
    const dataDir = join(disk.path, "data");
    let id: string;
    {
      await using server = await startMailkeep({ dataDir });
      id = await deliver(server.smtpPort, { raw: "Subject: kept\r\n\r\n" });
      await server.stop();
    }
    disk.setReadOnly(true);
    const serve = ["serve", "--smtp-port=0", "--http-port=0", "--data-dir", dataDir];
    const { code, err } = await runMailkeep(serve);
    expect({ code, err }).toEqual({
      code: 1,
      err: `mailkeep: ${dataDir} cannot be used: the disk is read-only\n`,
    });
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 mail .*: everything is in order\n/),
    });
    disk.setReadOnly(false);
    await using server = await startMailkeep({ dataDir });
    expect((await listAll(server.http)).map((summary) => summary.id)).toEqual([id]);
  });

  test("under a running server refuses what needs a new file, goes on serving, and takes it when it may", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 * MiB);
    const dataDir = join(disk.path, "data");
    await using server = await startMailkeep({ dataDir });
    const raw = `Subject: before\r\n\r\n${"x".repeat(600_000)}\r\n`;
    const id = await deliver(server.smtpPort, { raw });
    {
      using _cover = coverReadOnly(dataDir);
      expect(await send(server, "refused", 900_000)).toMatch(/^45\d /);
      expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk is read-only" });
      expect((await rawOf(server.http, id)).toString()).toBe(raw);
      expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(["before"]);
      // What was not indexed yet cannot be searched for now.
      expect([200, 503]).toContain((await fetch(`${server.http}/api/v1/messages?q=before`)).status);
    }
    expect(await send(server, "after", 900_000)).toStartWith("250");
    for (const subject of ["before", "after"]) expect(await total(server.http, `q=${subject}`)).toBe(1);
    expect((await listAll(server.http)).map(({ subject }) => subject)).toEqual(["after", "before"]);
    expect(await server.stop()).toBe(0);
    expect(await runMailkeep(["verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canFailDisk)("a disk that fails (needs root on Linux, loop devices and ext4)", () => {
  test("and so becomes read-only under a running server: nothing is acknowledged, all is served, nothing is lost", async () => {
    using disk = mountFailingDisk(freshFolder());
    const dataDir = join(disk.path, "data");
    const stored = new Map<string, string>();
    {
      await using server = await startMailkeep({ dataDir, args: ["--durability", "disk"] });
      for (const size of [10, 100_000, 600_000]) {
        const raw = `Subject: kept\r\n\r\n${"x".repeat(size)}\r\n`;
        stored.set(await deliver(server.smtpPort, { raw }), raw);
      }
      expect(await total(server.http, "q=kept")).toBe(3);
      disk.fail();
      const [id = ""] = stored.keys();
      const change = async (method: string, path: string, body?: string) =>
        (await fetch(`${server.http}/api/v1/messages${path}`, { method, ...(body ? { body } : {}) })).status;
      for (let attempt = 0; attempt < 2; attempt++) {
        for (const bytes of [10, 600_000]) expect(await send(server, "refused", bytes)).toStartWith("451");
        expect(await change("PATCH", `/${id}`, '{"is_read":true}')).toBe(503);
        expect(await change("DELETE", `/${id}`)).toBe(503);
        expect(await change("DELETE", "")).toBe(503);
        expect(await storeHealth(server.http)).toEqual({ status: "failing", store: "the disk is read-only" });
        expect((await listAll(server.http)).map((one) => [one.subject, one.is_read])).toEqual(
          Array(3).fill(["kept", false]),
        );
        for (const [one, raw] of stored) expect((await rawOf(server.http, one)).toString()).toBe(raw);
        expect(await total(server.http, "q=kept")).toBe(3);
      }
      expect(await server.stop()).toBe(0);
    }
    disk.repair();
    await using again = await startMailkeep({ dataDir });
    for (const [one, raw] of stored) expect((await rawOf(again.http, one)).toString()).toBe(raw);
    expect(await total(again.http)).toBe(3);
    expect(await send(again, "after", 600_000)).toStartWith("250");
    expect(await again.stop()).toBe(0);
  });
});
