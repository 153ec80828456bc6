// The webhook against real HTTP receivers: what is sent, in which order, how often, and what a bad one costs.
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { Webhook, type WebhookOptions } from "../../src/app/index.ts";
import { EventBus } from "../../src/events/index.ts";
import { createLogger } from "../../src/lib/logger.ts";
import type { InboxEvent } from "../../src/model/index.ts";
import { createSelfSignedCertificate, type TlsKeyPair } from "../../src/smtp/index.ts";
import { until } from "../support/until.ts";
import { type Answer, hang, startWebhookReceiver, subjectsOf } from "../support/webhook-receiver.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function startReceiver(answer?: Answer, tls?: TlsKeyPair) {
  const receiver = startWebhookReceiver(answer, tls);
  closers.push(receiver.stop);
  return receiver;
}

function startWebhook(url: string, options: Partial<WebhookOptions> = {}) {
  const bus = new EventBus<InboxEvent>((error) => {
    throw error;
  });
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = createLogger({ level: "debug", format: "json", write, now: () => new Date(0) });
  const timing = { retryMs: [1, 2, 4], graceMs: 50, ...options.timing };
  const webhook = new Webhook({ url, bus, logger, userAgent: "mailkeep/1.2.3", ...options, timing });
  closers.push(() => webhook.stop());
  const events = () => lines.map((line) => JSON.parse(line).event as string);
  return { bus, lines, events, webhook };
}

function newMail(subject: string) {
  return {
    type: "message:new",
    data: {
      id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      sender: "a@example.com",
      recipients: ["b@example.com"],
      subject,
      size: 7,
      has_attachments: false,
      is_read: false,
      is_starred: false,
      tags: [],
      created_at: "2026-01-01T00:00:00.000Z",
    },
  } satisfies InboxEvent;
}

test("every new mail is posted as the event that WebSocket clients get, in order", async () => {
  const { notices, url } = startReceiver();
  const { bus, webhook } = startWebhook(`${url}/hook?to=me`);
  const mails = ["one", "zwei ✉", "three"].map(newMail);
  for (const mail of mails) bus.publish(mail);
  await until(() => webhook.state.delivered === 3, "three notices");
  expect(notices.map(({ body }) => body)).toEqual(mails.map((mail) => JSON.stringify(mail)));
  const [first] = notices;
  expect(first).toMatchObject({ method: "POST", path: "/hook?to=me" });
  expect(first?.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "mailkeep/1.2.3",
  });
  expect(first?.headers.authorization).toBeUndefined();
});

test("other events are not posted", async () => {
  const { notices, url } = startReceiver();
  const { bus, webhook } = startWebhook(url);
  const { id } = newMail("x").data;
  bus.publish({ type: "message:read", data: { id, is_read: true } });
  bus.publish({ type: "message:starred", data: { id, is_starred: true } });
  bus.publish({ type: "message:tags", data: { id, tags: ["a"] } });
  bus.publish({ type: "message:delete", data: { id } });
  bus.publish({ type: "messages:clear" });
  bus.publish(newMail("last"));
  await until(() => webhook.state.delivered === 1, "the notice");
  expect(subjectsOf(notices)).toEqual(["last"]);
});

test("credentials of the URL travel as Basic authorization, and are told to nobody else", async () => {
  const { notices, host } = startReceiver(
    (_, count) => new Response(null, { status: count > 1 ? 204 : 500 }),
  );
  const { bus, lines, webhook } = startWebhook(
    `http://us%40er:pass%3Aw%C3%B6rd@${host}/token-in-path#fragment`,
  );
  bus.publish(newMail("x"));
  await until(() => webhook.state.delivered === 1, "the notice");
  const [first] = notices;
  expect(first?.path).toBe("/token-in-path");
  const sent = Buffer.from(first?.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
  expect(sent).toBe("us@er:pass:wörd");
  expect(lines).toHaveLength(2);
  const told = lines.join("\n") + JSON.stringify(webhook.state);
  for (const secret of ["pass", "wörd", "us%40er", "us@er", "token-in-path"])
    expect(told).not.toContain(secret);
  expect(webhook.state.origin).toBe(`http://${host}`);
});

describe("a receiver that fails", () => {
  test.each([500, 503, 429])(
    "with %d and then works gets the notice again, before the next one",
    async (status) => {
      const { notices, url } = startReceiver(
        (_, count) => new Response(null, { status: count < 3 ? status : 200 }),
      );
      const { bus, webhook, lines, events } = startWebhook(url);
      bus.publish(newMail("one"));
      bus.publish(newMail("two"));
      await until(() => webhook.state.delivered === 2, "both notices");
      expect(subjectsOf(notices)).toEqual(["one", "one", "one", "two"]);
      expect(webhook.state.lost).toBe(0);
      expect(events()).toEqual(["webhook fails", "webhook works again"]);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        level: "warn",
        to: url,
        reason: `HTTP status ${status}`,
      });
    },
  );

  test("for good is tried four times a notice, and is worth one line of log", async () => {
    const { notices, url } = startReceiver(() => new Response(null, { status: 500 }));
    const { bus, webhook, events } = startWebhook(url);
    for (const subject of ["one", "two", "three"]) bus.publish(newMail(subject));
    await until(() => webhook.state.lost === 3, "all notices to be given up");
    expect(subjectsOf(notices)).toEqual(["one", "two", "three"].flatMap((subject) => Array(4).fill(subject)));
    expect(events()).toEqual(["webhook fails"]);
  });

  test.each([400, 404, 410, 304])("with %d is not asked again", async (status) => {
    const { notices, url } = startReceiver(
      (_, count) => new Response(null, { status: count === 1 ? status : 200 }),
    );
    const { bus, webhook } = startWebhook(url);
    bus.publish(newMail("one"));
    bus.publish(newMail("two"));
    await until(() => webhook.state.delivered === 1, "the second notice");
    expect(subjectsOf(notices)).toEqual(["one", "two"]);
    expect(webhook.state.lost).toBe(1);
  });

  test.each([301, 302, 303, 307, 308])("with redirect %d is not followed", async (status) => {
    const elsewhere = startReceiver();
    const { url } = startReceiver(() => new Response(null, { status, headers: { location: elsewhere.url } }));
    const { bus, webhook, lines } = startWebhook(url);
    bus.publish(newMail("one"));
    await until(() => webhook.state.lost === 1, "the notice to be given up");
    expect(elsewhere.notices).toEqual([]);
    expect(lines.join("\n")).toContain(`HTTP status ${status}`);
  });

  test("because nobody listens gets the notice when somebody does", async () => {
    const probe = startReceiver();
    const { port } = new URL(probe.url);
    await closers.pop()?.();
    const { bus, webhook, events } = startWebhook(probe.url, { timing: { retryMs: Array(500).fill(5) } });
    bus.publish(newMail("one"));
    await until(() => events().length > 0, "the failure to be logged");
    const server = Bun.serve({ port: Number(port), hostname: "127.0.0.1", fetch: () => new Response() });
    closers.push(() => server.stop(true));
    await until(() => webhook.state.delivered === 1, "the notice");
    expect(events()).toEqual(["webhook fails", "webhook works again"]);
  });

  test.each(["", "not http at all\r\n\r\n", "HTTP/1.1 200 OK\r\nx: "])(
    "by saying %j and no more costs its notice only",
    async (said) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket.on("error", () => {}));
        socket.on("data", () => void socket.end(said));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closers.push(() => {
        for (const socket of sockets) socket.destroy();
        server.close();
      });
      const { port } = server.address() as { port: number };
      const { bus, webhook, events } = startWebhook(`http://127.0.0.1:${port}`, {
        timing: { answerMs: 500, retryMs: [] },
      });
      bus.publish(newMail("one"));
      await until(() => webhook.state.lost === 1, "the notice to be given up");
      expect(events()).toEqual(["webhook fails"]);
    },
  );
});

test("an https receiver that no authority vouches for is sent nothing", async () => {
  const tls = createSelfSignedCertificate({ hosts: ["127.0.0.1"], now: new Date() });
  const { notices, host } = startReceiver(undefined, tls);
  const { bus, webhook, lines } = startWebhook(`https://${host}`, { timing: { retryMs: [] } });
  bus.publish(newMail("one"));
  await until(() => webhook.state.lost === 1, "the notice to be given up");
  expect(notices).toEqual([]);
  expect(JSON.parse(lines[0] ?? "").reason).toContain("SELF_SIGNED");
});

describe("a receiver that hangs", () => {
  test("holds the next notice back for the time of its tries only", async () => {
    const { notices, url } = startReceiver((request, count) =>
      count <= 2 ? hang(request, count) : new Response(),
    );
    const { bus, webhook } = startWebhook(url, { timing: { answerMs: 500, retryMs: [1] } });
    bus.publish(newMail("one"));
    bus.publish(newMail("two"));
    await until(() => webhook.state.delivered === 1, "the second notice");
    expect(subjectsOf(notices)).toEqual(["one", "one", "two"]);
    expect(webhook.state).toMatchObject({ waiting: 0, delivered: 1, lost: 1 });
  });

  test("costs the oldest notices when too many wait, with one line of log", async () => {
    const release = Promise.withResolvers<Response>();
    const { notices, url } = startReceiver((_, count) => (count === 1 ? release.promise : new Response()));
    const { bus, webhook, lines, events } = startWebhook(url, { limits: { maxBodies: 3, maxBytes: 1e6 } });
    for (let n = 1; n <= 10; n++) bus.publish(newMail(String(n)));
    expect(webhook.state).toMatchObject({ waiting: 3, lost: 6 });
    release.resolve(new Response());
    await until(() => webhook.state.delivered === 4, "the rest");
    expect(subjectsOf(notices)).toEqual(["1", "8", "9", "10"]);
    await until(() => lines.length === 2, "the end to be logged");
    expect(events()).toEqual(["webhook too slow, dropping the oldest notices", "webhook caught up"]);
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ dropped: 6 });
  });

  test("lets no more bytes wait than allowed", () => {
    const { url } = startReceiver(hang);
    const { bus, webhook } = startWebhook(url, { limits: { maxBodies: 1000, maxBytes: 100_000 } });
    for (let n = 0; n < 100; n++) bus.publish(newMail("ü".repeat(5000)));
    expect(webhook.state.waiting).toBe(9);
  });
});

test("a notice larger than all that may wait is sent, and so is the next one", async () => {
  const { notices, url } = startReceiver();
  const { bus, webhook } = startWebhook(url, { limits: { maxBodies: 10, maxBytes: 1000 } });
  bus.publish(newMail("x".repeat(2000)));
  await until(() => webhook.state.delivered === 1, "the large notice");
  bus.publish(newMail("small"));
  await until(() => webhook.state.delivered === 2, "the small notice");
  expect(subjectsOf(notices).at(-1)).toBe("small");
});

test("an answer without end is not read, and its connection is closed", async () => {
  let sentBytes = 0;
  let ended = 0;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        sentBytes += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        ended++;
      },
    });
  const { url } = startReceiver(() => new Response(endless()));
  const { bus, webhook } = startWebhook(url);
  for (let n = 0; n < 5; n++) bus.publish(newMail(String(n)));
  await until(() => webhook.state.delivered === 5 && ended === 5, "five answers to be cut off");
  expect(sentBytes).toBeLessThan(64 * 1024 ** 2);
});

describe("stopping", () => {
  test("lets what waits be sent while all is well", async () => {
    const { notices, url } = startReceiver();
    const { bus, webhook } = startWebhook(url, { timing: { graceMs: 5000 } });
    for (let n = 0; n < 20; n++) bus.publish(newMail(String(n)));
    await webhook.stop();
    expect(notices).toHaveLength(20);
    bus.publish(newMail("late"));
    expect(webhook.state).toMatchObject({ waiting: 0, delivered: 20, lost: 0 });
  });

  test("does not wait for a receiver that hangs", async () => {
    const { notices, url } = startReceiver(hang);
    const { bus, webhook, lines } = startWebhook(url);
    for (let n = 0; n < 3; n++) bus.publish(newMail(String(n)));
    await until(() => notices.length === 1, "the first POST");
    const start = performance.now();
    await webhook.stop();
    expect(performance.now() - start).toBeLessThan(5000);
    expect(notices).toHaveLength(1);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ event: "webhook stopped early", unsent: 2 });
  });

  test("does not wait for the next try", async () => {
    const { notices, url } = startReceiver(() => new Response(null, { status: 500 }));
    const { bus, webhook, events } = startWebhook(url, { timing: { retryMs: [60_000], graceMs: 30_000 } });
    bus.publish(newMail("one"));
    bus.publish(newMail("two"));
    await until(() => events().length > 0, "the failure to be logged");
    await webhook.stop();
    expect(notices).toHaveLength(1);
  });
});
