// Several Mailkeep processes on one PostgreSQL, as clients see them.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../scripts/postgres.ts";
import { hasS3Server, startS3Server } from "../../scripts/s3-server.ts";
import { connect } from "../../src/client/index.ts";
import { namesIn } from "../store/open.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { useFolders } from "../support/folders.ts";
import { listen } from "../support/listen.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { describeWithPostgres } from "../support/postgres.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";
import { startWebhookReceiver, subjectsOf } from "../support/webhook-receiver.ts";

const freshFolder = useFolders();
const mail = (subject: string) => ({ raw: `Subject: ${subject}\r\n\r\nbody\r\n` });

describeWithPostgres("nodes", (postgres) => {
  const start = (store: string, args: readonly string[] = []) =>
    startMailkeep({ dataDir: freshFolder(), args, environment: { MAILKEEP_STORE: store } });
  const ask = async (node: Running, path: string) => {
    const response = await fetch(`${node.http}/api/v1/${path}`);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test("mail to one node is listed, waited for and announced on the other, which resumes the events of the first", async () => {
    const store = await postgres().createDatabase();
    await using one = await start(store);
    await using other = await start(store);
    const before = await listen(one.http, "resume=true");
    const waiting = fetch(`${other.http}/api/v1/messages/wait?subject=first&timeout=5m`);
    await deliver(one.smtpPort, mail("first"));
    expect((await waiting).status).toBe(200);
    expect((await ask(other, "messages")).json).toMatchObject({ total: 1 });
    expect((await ask(other, "info")).json).toMatchObject({ store: { kind: "postgres" } });
    await until(() => before.frames.length === 1);
    before.close();
    for (const subject of ["second", "third"]) await deliver(one.smtpPort, mail(subject));
    const after = await listen(other.http, `since=${before.frames[0]?.seq}`);
    await deliver(other.smtpPort, mail("fourth"));
    await until(() => after.frames.length === 3);
    expect(after.frames.map(({ data }) => data.subject)).toEqual(["second", "third", "fourth"]);
    after.close();
  });

  test("a webhook gets every mail in order; when its node is killed, another continues", async () => {
    const store = await postgres().createDatabase();
    const receiver = startWebhookReceiver();
    const args = ["--webhook", receiver.url, "--max-messages", "5"];
    const nodes = [await start(store, args), await start(store, args)] as const;
    const [first, second] = nodes;
    await deliver(first.smtpPort, mail("0"));
    await until(() => receiver.notices.length === 1);
    await deliver(second.smtpPort, mail("1"));
    await until(() => receiver.notices.length === 2);
    first.process.kill("SIGKILL");
    for (const subject of ["2", "3", "4", "5", "6"]) await deliver(second.smtpPort, mail(subject));
    // If the killed node had not saved a delivery yet, the webhook gets it twice, with the same id.
    const heard = () => new Map(receiver.notices.map((notice) => [notice.headers["webhook-id"], notice]));
    await until(() => heard().size === 7);
    expect(subjectsOf([...heard().values()])).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    expect((await ask(second, "messages")).json).toMatchObject({ total: 5 });
    for (const node of nodes) await node[Symbol.asyncDispose]();
    await receiver.stop();
  });

  test("when the leader hangs, another node takes over, and the old leader stays a follower when it wakes up", async () => {
    const store = await postgres().createDatabase();
    const receiver = startWebhookReceiver();
    const args = ["--webhook", receiver.url];
    const first = await start(store, args);
    await deliver(first.smtpPort, mail("0"));
    await until(() => receiver.notices.length === 1);
    const second = await start(store, args);
    first.process.kill("SIGSTOP");
    await deliver(second.smtpPort, mail("1"));
    await until(() => subjectsOf(receiver.notices).includes("1"), "the other leads");
    first.process.kill("SIGCONT");
    await deliver(first.smtpPort, mail("2"));
    await deliver(second.smtpPort, mail("3"));
    await until(() => subjectsOf(receiver.notices).includes("3"));
    expect(subjectsOf(receiver.notices).filter((subject) => subject !== "0")).toEqual(["1", "2", "3"]);
    for (const node of [first, second]) await node[Symbol.asyncDispose]();
    await receiver.stop();
  });

  test("a node killed under load has lost nothing that it acknowledged", async () => {
    const store = await postgres().createDatabase();
    const folder = freshFolder();
    const environment = { MAILKEEP_STORE: store };
    const doomed = await startMailkeep({ dataDir: folder, environment });
    await using other = await start(store);
    const acknowledged: string[] = [];
    const send = async (node: Running, name: string) => {
      for (let n = 0; n < 200; n++) {
        const subject = `${name}-${n}`;
        const id = await deliver(node.smtpPort, mail(subject)).catch(() => null);
        if (id === null) return;
        acknowledged.push(subject);
        if (acknowledged.length === 100) doomed.process.kill("SIGKILL");
      }
    };
    await Promise.all([0, 1, 2, 3].map((n) => send(n % 2 === 0 ? doomed : other, `s${n}`)));
    await doomed[Symbol.asyncDispose]();
    await using again = await startMailkeep({ dataDir: folder, environment });
    const lists = await Promise.all(
      [again, other].map(async ({ http: url }) =>
        (await connect({ url, since: "all" }).list()).map(({ subject }) => subject),
      ),
    );
    expect(lists[0]).toEqual(lists[1] as string[]);
    expect(acknowledged.filter((subject) => !lists[0]?.includes(subject))).toEqual([]);
    expect(new Set(lists[0]).size).toBe(lists[0]?.length ?? 0);
  });

  test("a node that still reads the log answers 503 on every path, and health says that it is starting", async () => {
    const store = await postgres().createDatabase();
    {
      await using first = await start(store);
      await deliver(first.smtpPort, mail("before"));
    }
    const other = new SQL(store, { max: 1 });
    const held = await other.reserve();
    await held.unsafe("BEGIN; LOCK TABLE mailkeep_record").simple();
    const port = freePort();
    const starting = start(store, [`--http-port=${port}`, "--base-path=/mail"]);
    const address = `http://127.0.0.1:${port}`;
    const get = (path: string) => fetch(`${address}${path}`).catch(() => null);
    await until(async () => (await get("/api/v1/health")) !== null, "the port answers");
    const health = await get("/mail/api/v1/health");
    expect([health?.status, health?.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await health?.json()).toMatchObject({
      status: "starting",
      code: "starting",
      checks: { http: "ok" },
    });
    const list = await get("/api/v1/messages");
    expect([list?.status, await list?.json()]).toMatchObject([503, { code: "starting" }]);
    expect(await runMailkeep(["health", "--url", address])).toMatchObject({ code: 1 });
    await held.unsafe("ROLLBACK");
    await other.close({ timeout: 0 });
    await using node = await starting;
    expect(node.http).toBe(address);
    expect((await ask(node, "health")).json).toMatchObject({ status: "ok" });
    expect((await ask(node, "messages")).json).toMatchObject({ total: 1 });
  });

  test("without PostgreSQL SMTP answers 451 and HTTP 503, until PostgreSQL is back", async () => {
    await using node = await start(await postgres().createDatabase());
    await using stale = await start(await postgres().createDatabase(), ["--stale-reads"]);
    await deliver(node.smtpPort, mail("before"));
    await postgres().kill();
    await expect(deliver(node.smtpPort, mail("refused"))).rejects.toThrow("451");
    expect(await ask(node, "messages")).toMatchObject({ status: 503, json: { code: "database_failing" } });
    for (const format of ["mbox", "zip"])
      expect(await ask(node, `export?format=${format}`)).toMatchObject({ status: 503 });
    expect(await ask(stale, "messages")).toMatchObject({ status: 200 });
    for (const { http } of [node, stale]) {
      const cleared = await fetch(`${http}/api/v1/messages`, { method: "DELETE" });
      expect([cleared.status, (await fetch(`${http}/api/v1/health`)).status]).toEqual([503, 503]);
    }
    await postgres().start();
    await until(async () => (await ask(node, "health")).status === 200, "the node is healthy again");
    await deliver(node.smtpPort, mail("after"));
    expect((await ask(node, "messages")).json).toMatchObject({ total: 2 });
  });

  test("a mailbox moves from a folder to PostgreSQL and back, with its order, times, flags and tags", async () => {
    const store = await postgres().createDatabase();
    const [folder, copy] = [freshFolder(), freshFolder()];
    const listOf = async (dataDir: string, environment: Record<string, string>) => {
      await using server = await startMailkeep({ dataDir, environment });
      const mails = (await ask(server, "messages")).json.messages as Record<string, unknown>[];
      return await Promise.all(
        mails.map(async ({ id, ...rest }) => ({
          ...rest,
          raw: await (await fetch(`${server.http}/api/v1/messages/${id}/raw`)).text(),
        })),
      );
    };
    {
      await using server = await startMailkeep({ dataDir: folder, args: ["--tag-plus-addresses"] });
      const large = `Subject: large\r\n\r\n${"0123456789\r\n".repeat(120_000)}`;
      await deliver(server.smtpPort, { ...mail("one"), to: ["a+tag@example.com"] });
      const id = await deliver(server.smtpPort, { raw: large });
      await fetch(`${server.http}/api/v1/messages/${id}`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: '{"is_starred":true}',
      });
      await deliver(server.smtpPort, mail("three"));
    }
    const before = await listOf(folder, {});
    const missing = join(freshFolder(), "missing");
    expect(await runMailkeep(["export", "--store", store, "--data-dir", missing])).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not a data folder of Mailkeep"),
    });
    expect(existsSync(missing)).toBe(false);
    expect(await runMailkeep(["export", "--store", store, "--data-dir", folder])).toMatchObject({
      code: 0,
      out: "3 mails exported\n",
    });
    expect(await listOf(freshFolder(), { MAILKEEP_STORE: store })).toEqual(before);
    expect((await runMailkeep(["export", "--store", store, "--data-dir", folder])).err).toMatch(
      /holds 3 mails.*DROP TABLE/,
    );
    const back = ["import", "--store", store, "--data-dir", copy];
    expect(await runMailkeep([...back, "--to", "x"])).toMatchObject({ code: 2 });
    expect(await runMailkeep(back)).toMatchObject({ code: 0 });
    expect(await listOf(copy, {})).toEqual(before);
  });

  test.skipIf(!hasS3Server())(
    "large mail is kept in S3, read on another node, removed with its mail, and refused without S3",
    async () => {
      const store = await postgres().createDatabase();
      const folder = freshFolder();
      const s3 = await startS3Server(folder, "mail");
      const environment = { ...s3.environment, MAILKEEP_STORE: store, MAILKEEP_BODIES: "s3://mail/large" };
      await using one = await startMailkeep({ dataDir: freshFolder(), environment });
      await using other = await startMailkeep({ dataDir: freshFolder(), environment });
      const objects = () => namesIn(folder, "mail/large").filter((name) => name.endsWith("_object"));
      const raw = `Subject: large\r\n\r\nfindme ${"0123456789\r\n".repeat(1_000_000)}`;
      const id = await deliver(one.smtpPort, { raw });
      expect(objects()).toHaveLength(1);
      const source = `${other.http}/api/v1/messages/${id}/raw`;
      expect(await (await fetch(source)).text()).toBe(raw);
      const part = await fetch(source, { headers: { range: "bytes=1048570-1048589" } });
      expect(await part.text()).toBe(raw.slice(1_048_570, 1_048_590));
      expect((await ask(other, "messages?q=findme")).json).toMatchObject({ total: 1 });
      await fetch(`${other.http}/api/v1/messages/${id}`, { method: "DELETE" });
      await until(() => objects().length === 0, "the object is removed");
      const stays = await deliver(one.smtpPort, { raw });
      await s3.stop();
      expect((await fetch(`${one.http}/api/v1/messages/${stays}/raw`)).status).toBe(503);
      expect((await ask(one, "health")).json).toMatchObject({
        checks: { store: expect.stringContaining("S3") },
      });
      await expect(deliver(one.smtpPort, { raw })).rejects.toThrow("451");
    },
  );

  test("a start ends with one clear line when PostgreSQL is missing or refuses", async () => {
    const failure = (store: string, args: readonly string[] = []) =>
      start(store, args).catch((error: Error) => error.message);
    const unreachable = await failure(`postgres://me:secret@${CLOSED_ADDRESS}/mail`);
    expect(unreachable).toContain(`PostgreSQL at ${CLOSED_ADDRESS} cannot be reached: Failed to connect`);
    expect(unreachable).not.toContain("secret");
    const store = await postgres().createDatabase();
    expect(await failure(`${store}?sslmode=require`)).toContain("Server does not support SSL");
    expect(await failure(`${store}_missing`)).toMatch(
      /reports an error.*: database ".*_missing" does not exist/,
    );
    await postgres().run("CREATE ROLE guest LOGIN");
    expect(await failure(store.replace("mailkeep@", "guest@"))).toContain("permission denied for schema");
    expect(await failure(store, ["--bodies", "s3://mail"])).toContain("the keys for S3 are missing");
  });
});
