// Information, health, tags, the web page's files, starting and stopping.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
const text = (content: string) => async () => new TextEncoder().encode(content);
let smtpFails = false;
beforeAll(async () => {
  mailkeep = await startMailkeep({
    http: {
      healthChecks: {
        smtp: () => {
          if (smtpFails) throw new Error("not listening");
        },
      },
      pages: [
        {
          path: "/index.html",
          type: "text/html; charset=utf-8",
          load: text("<!doctype html><title>Mailkeep</title>"),
        },
        { path: "/main-3fa9c2.js", type: "text/javascript", load: text(`// ${"x".repeat(3000)}`) },
        { path: "/icon.svg", type: "image/svg+xml", load: text("<svg/>") },
      ],
    },
  });
});
afterAll(() => mailkeep.stop());

test("info tells version, addresses, counts, store size and uptime", async () => {
  const { id } = await mailkeep.receive(mail("one"));
  await mailkeep.receive(mail("two"));
  await mailkeep.store.update([id], { is_read: true });
  const { json } = await mailkeep.call("/api/v1/info");
  expect(json).toMatchObject({
    name: "mailkeep",
    version: "1.2.3",
    commit: "abc1234",
    smtp: { host: "127.0.0.1", port: 1025 },
    smtps: { host: "127.0.0.1", port: 1465 },
    http: { host: "127.0.0.1", port: mailkeep.server.port },
    messages: { total: 2, unread: 1 },
    store: { kind: "memory", message_bytes: mail("one").length + mail("two").length },
  });
});

test("tags are listed with their counts", async () => {
  await mailkeep.store.clear();
  const one = await mailkeep.receive(mail("one"));
  const two = await mailkeep.receive(mail("two"));
  await mailkeep.store.update([one.id, two.id], { tags: ["b"] });
  await mailkeep.store.update([one.id], { tags: ["a", "b"] });
  expect((await mailkeep.call("/api/v1/tags")).json).toEqual({
    tags: [
      { tag: "a", count: 1 },
      { tag: "b", count: 2 },
    ],
  });
});

test("health is 200 while everything works, 503 with the reason otherwise", async () => {
  const well = await mailkeep.call("/api/v1/health");
  expect(well).toMatchObject({
    status: 200,
    json: { status: "ok", checks: { http: "ok", smtp: "ok", store: "ok" } },
  });
  smtpFails = true;
  const ill = await mailkeep.call("/api/v1/health");
  expect(ill).toMatchObject({
    status: 503,
    json: {
      status: "failing",
      checks: { smtp: "not listening", store: "ok" },
      error: "Not everything works: smtp.",
      code: "unhealthy",
    },
  });
  smtpFails = false;
});

test("health after the store was closed is a report, not an error of the store", async () => {
  const other = await startMailkeep();
  await other.store.close();
  const { status, json } = await other.call("/api/v1/health");
  expect(status).toBe(503);
  expect(json).toMatchObject({ status: "failing", checks: { http: "ok" }, code: "unhealthy" });
  await other.stop();
});

describe("the web page", () => {
  test.each(["/", "/index.html", "/messages/01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"])(
    "%s is the page, under a strict policy",
    async (path) => {
      const answer = await mailkeep.call(path);
      expect(answer.text).toContain("<title>Mailkeep</title>");
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain("unsafe");
    },
  );

  test("browsers keep a file with a hash in its name for ever, and ask again for others", async () => {
    const script = await mailkeep.call("/main-3fa9c2.js");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-encoding")).toBe("gzip");
    const icon = await mailkeep.call("/icon.svg");
    expect(icon.headers.get("cache-control")).toBe("no-cache");
    const etag = icon.headers.get("etag") ?? "";
    expect((await mailkeep.call("/icon.svg", { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  const unknownPaths = ["/nothing", "/messages", "/messages/a/b", "/messages/nonsense", "/messages/%00"];
  test.each(unknownPaths)("%s is 404: the page for a browser, JSON for a program", async (path) => {
    const page = await mailkeep.call(path, { headers: { accept: "text/html" } });
    expect({ status: page.status, text: page.text }).toEqual({
      status: 404,
      text: "<!doctype html><title>Mailkeep</title>",
    });
    expect(page.headers.get("etag")).toBeNull();
    expect(await mailkeep.call(path)).toMatchObject({ status: 404, json: { code: "unknown_path" } });
  });

  test.each(["/api", "/api/v1/nonsense"])("%s is JSON for a browser, too", async (path) => {
    const answer = await mailkeep.call(path, { headers: { accept: "text/html" } });
    expect(answer).toMatchObject({ status: 404, json: { code: "unknown_path" } });
  });

  test("the page cannot be changed", async () => {
    expect((await mailkeep.call("/", { method: "POST" })).status).toBe(405);
  });
});

describe("starting and stopping", () => {
  test("a port that is taken fails at once instead of sharing it", async () => {
    const { port } = mailkeep.server;
    expect(startMailkeep({ http: { port } })).rejects.toThrow();
  });

  test("a request under way is answered before the server is gone", async () => {
    const other = await startMailkeep();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
    const list = other.store.list.bind(other.store);
    other.store.list = async (query) => {
      start();
      await released;
      return list(query);
    };
    const answer = other.call("/api/v1/messages");
    await started;
    const stopped = other.server.stop(5000);
    goOn();
    expect((await answer).status).toBe(200);
    await stopped;
    expect(fetch(other.url)).rejects.toThrow();
    await other.stop();
  });

  test("a request that does not end is cut off after the grace period", async () => {
    const other = await startMailkeep();
    other.store.list = () => new Promise(() => {});
    const answer = fetch(`${other.url}/api/v1/messages`).then(
      () => "answered",
      () => "cut off",
    );
    while (other.server.url && (await other.call("/api/v1/health")).status !== 200);
    await other.server.stop(20);
    expect(await answer).toBe("cut off");
    await other.store.close();
  });
});
