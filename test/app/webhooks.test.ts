// Webhooks against real HTTP receivers and a real store: what is sent, in which order, how often, and what survives a
// restart.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { freePort } from "../../scripts/postgres.ts";
import {
  Deliveries,
  type DeliveryTiming,
  Journal,
  type JournalEntry,
  JournalSaver,
  onEvent,
  webhookTarget,
} from "../../src/app/index.ts";
import type { MessageFilter } from "../../src/model/index.ts";
import { createSelfSignedCertificate, type TlsKeyPair } from "../../src/smtp/index.ts";
import type { Store } from "../../src/store/index.ts";
import { mail, openMemory, put } from "../store/open.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { journalIn, type Saved } from "../support/journal.ts";
import { until } from "../support/until.ts";
import {
  type Answer,
  hang,
  type Notice,
  startWebhookReceiver,
  subjectsOf,
} from "../support/webhook-receiver.ts";

const NOW = new Date("2026-01-01T00:00:00.000Z");

let store: Store;
const closers: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  store = await openMemory();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await store.close();
});

const receive = (...subjects: string[]) =>
  Promise.all(subjects.map((subject) => put(store, mail(subject, `text of ${subject}`))));

function startReceiver(answer?: Answer, tls?: TlsKeyPair) {
  const receiver = startWebhookReceiver(answer, tls);
  closers.push(receiver.stop);
  return receiver;
}

interface Given extends Partial<DeliveryTiming> {
  readonly filter?: MessageFilter;
  readonly secret?: string;
  readonly format?: "event" | "slack";
  readonly answerMs?: number;
  /** What an earlier journal saved. */
  readonly saved?: Saved;
  readonly newest?: string;
  /** The store from which the mail is read. */
  readonly from?: Store;
}

function startWebhook(url: string, given: Given = {}) {
  const {
    filter = {},
    secret,
    format = "event",
    answerMs,
    saved,
    from = store,
    newest = "",
    ...timing
  } = given;
  const { logger, lines, events } = collectingLogger("debug");
  const now = () => NOW;
  const userAgent = "mailkeep/1.2.3";
  const webhook = new Deliveries({
    target: webhookTarget({ url, format, secret, userAgent, now, ...(answerMs && { answerMs }) }),
    filter,
    store: from,
    journal: journalIn(saved),
    logger,
    now,
    newest,
    timing: { retryMs: [1, 2, 4], graceMs: 50, ...timing },
  });
  closers.push(() => webhook.stop());
  const counted = (counts: Partial<typeof webhook.state>) =>
    until(
      () =>
        Object.entries(counts).every(([name, count]) =>
          Object.entries(webhook.state).some(([key, value]) => key === name && value === count),
        ),
      JSON.stringify(counts),
    );
  return { webhook, lines, events, counted };
}

test("a new target gets mail that arrives before its node becomes the leader", async () => {
  const { notices, url } = startReceiver();
  await receive("before");
  const newest = (await store.list({ filter: {}, limit: 1 })).messages[0]?.id ?? "";
  await receive("after");
  await startWebhook(url, { newest }).counted({ delivered: 1 });
  expect(subjectsOf(notices)).toEqual(["after"]);
});

test("every new mail is posted as the event that WebSocket clients get, in order", async () => {
  const { notices, url } = startReceiver();
  const [before] = await receive("before");
  const frames: string[] = [];
  onEvent(store, (event) => void frames.push(JSON.stringify(event)));
  const { counted } = startWebhook(`${url}/hook?to=me`, { newest: before?.id ?? "" });
  for (const subject of ["one", "two", "three"]) await receive(subject);
  await counted({ delivered: 3, waiting: 0 });
  expect(notices.map(({ body }) => body)).toEqual(frames);
  const [first] = notices;
  expect(first).toMatchObject({ method: "POST", path: "/hook?to=me" });
  expect(first?.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "mailkeep/1.2.3",
    "webhook-id": JSON.parse(frames[0] ?? "").data.id,
    "webhook-timestamp": String(NOW.getTime() / 1000),
  });
  expect(first?.headers.authorization).toBeUndefined();
  expect(first?.headers["webhook-signature"]).toBeUndefined();
});

test.each([{ q: "text" }, { q: "text is:unread" }, { unread: true }, { to: "bob@example.com" }])(
  "mail that matches %j is posted, even if it is changed or deleted right after it arrived",
  async (filter) => {
    const { notices, url } = startReceiver();
    const { webhook, counted } = startWebhook(url, { filter });
    await receive("first");
    await counted({ delivered: 1 });
    const sent = ["a", "b", "c", "d", "e"].map((name) => `${name} ${"of many ".repeat(20)}`);
    for (const subject of sent) {
      const [message] = await receive(subject);
      const id = message?.id ?? "";
      await Promise.all([store.update([id], { is_read: true }), store.delete([id])]);
    }
    await counted({ delivered: 6 });
    expect(subjectsOf(notices).slice(1)).toEqual(sent.map((subject) => subject.trim()));
    expect(webhook.state).toMatchObject({ waiting: 0, skipped: 0 });
  },
);

test("a secret signs id, time and body as Standard Webhooks says", async () => {
  const { notices, url } = startReceiver();
  const { counted } = startWebhook(url, { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
  await receive("one");
  await counted({ delivered: 1 });
  const { headers, body } = notices[0] as Notice;
  const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  expect(headers["webhook-signature"]).toBe(
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
});

test("the format slack is a text in which the mail adds no markup", async () => {
  const { notices, url } = startReceiver();
  const { counted } = startWebhook(url, { format: "slack" });
  await receive("<!channel> & more");
  await counted({ delivered: 1 });
  expect(JSON.parse(notices[0]?.body ?? "")).toEqual({
    text: "&lt;!channel&gt; &amp; more\nfrom alice@example.com to bob@example.com",
  });
});

test.each<[string, MessageFilter]>([
  ["the subject", { subject: "order" }],
  ["the text", { q: "body:order" }],
])("a filter by %s lets only such mail through", async (_, filter) => {
  const { notices, url } = startReceiver();
  const { counted } = startWebhook(url, { filter });
  for (const subject of ["order 1", "other", "order 2", "last"]) await receive(subject);
  await counted({ delivered: 2, waiting: 0 });
  expect(subjectsOf(notices)).toEqual(["order 1", "order 2"]);
});

test("credentials of the URL are sent as Basic authorization, and appear nowhere else", async () => {
  const { notices, host } = startReceiver(
    (_, count) => new Response(null, { status: count > 1 ? 204 : 500 }),
  );
  const { lines, webhook, counted } = startWebhook(
    `http://us%40er:pass%3Aw%C3%B6rd@${host}/token-in-path#fragment`,
  );
  await receive("x");
  await counted({ delivered: 1 });
  const [first] = notices;
  expect(first?.path).toBe("/token-in-path");
  const sent = Buffer.from(first?.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
  expect(sent).toBe("us@er:pass:wörd");
  expect(lines).toHaveLength(2);
  const told = JSON.stringify([lines, webhook.state]);
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
      const { lines, events, webhook, counted } = startWebhook(url);
      await receive("one", "two");
      await counted({ delivered: 2, failed: 0 });
      expect(subjectsOf(notices)).toEqual(["one", "one", "one", "two"]);
      expect(new Set(notices.slice(0, 3).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      expect(events).toEqual(["webhook fails", "webhook works again"]);
      expect(lines[0]).toMatchObject({ level: "warn", to: url, reason: `HTTP status ${status}` });
      expect(webhook.state.last_error).toEqual({
        at: NOW.toISOString(),
        reason: `HTTP status ${status}`,
      });
    },
  );

  test("says what waits and when it is tried again", async () => {
    const { url } = startReceiver(() => new Response(null, { status: 500 }));
    const { webhook, counted } = startWebhook(url, { retryMs: [60_000] });
    await receive("one", "two");
    await counted({ state: "retrying" });
    expect(webhook.state).toMatchObject({ waiting: 2, next_try: "2026-01-01T00:01:00.000Z" });
  });

  test("at every try loses the notice after the last, with one line in the log for each notice", async () => {
    const { notices, url } = startReceiver(() => new Response(null, { status: 500 }));
    const { events, counted } = startWebhook(url, { maxTries: 3 });
    await receive("one", "two");
    await counted({ failed: 2, waiting: 0 });
    expect(subjectsOf(notices)).toEqual(["one", "one", "one", "two", "two", "two"]);
    expect(events).toEqual(["webhook fails", "webhook gives up on a mail", "webhook gives up on a mail"]);
  });

  test.each([400, 404, 410, 304])("with %d does not get the notice again", async (status) => {
    const { notices, url } = startReceiver(
      (_, count) => new Response(null, { status: count === 1 ? status : 200 }),
    );
    const { counted } = startWebhook(url);
    await receive("one", "two");
    await counted({ delivered: 1, failed: 1 });
    expect(subjectsOf(notices)).toEqual(["one", "two"]);
  });

  test.each([301, 302, 303, 307, 308])("with redirect %d is not followed", async (status) => {
    const elsewhere = startReceiver();
    const { url } = startReceiver(() => new Response(null, { status, headers: { location: elsewhere.url } }));
    const { counted, lines } = startWebhook(url);
    await receive("one");
    await counted({ failed: 1 });
    expect(elsewhere.notices).toEqual([]);
    expect(lines[0]?.reason).toBe(`HTTP status ${status}`);
  });

  test("because nobody listens gets the notice as soon as somebody listens", async () => {
    const port = freePort();
    const { events, counted } = startWebhook(`http://127.0.0.1:${port}`, { retryMs: [5], maxTries: 10_000 });
    await receive("one");
    await until(() => events.length > 0, "the failure to be logged");
    const server = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response() });
    closers.push(() => server.stop(true));
    await counted({ delivered: 1 });
    expect(events).toEqual(["webhook fails", "webhook works again"]);
  });

  test.each(["", "not http at all\r\n\r\n", "HTTP/1.1 200 OK\r\nx: "])(
    "by answering only %j loses only that notice",
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
      const { events, counted } = startWebhook(`http://127.0.0.1:${port}`, { answerMs: 500, maxTries: 1 });
      await receive("one");
      await counted({ failed: 1 });
      expect(events).toEqual(["webhook fails", "webhook gives up on a mail"]);
    },
  );
});

test("an https receiver with an untrusted certificate is sent nothing", async () => {
  const tls = createSelfSignedCertificate({ hosts: ["127.0.0.1"], now: new Date() });
  const { notices, host } = startReceiver(undefined, tls);
  const { lines, counted } = startWebhook(`https://${host}`, { maxTries: 1 });
  await receive("one");
  await counted({ failed: 1 });
  expect(notices).toEqual([]);
  expect(String(lines[0]?.reason)).toContain("SELF_SIGNED");
});

test("a receiver that hangs delays the next notice only until its tries are over", async () => {
  let first: string | null = null;
  const { notices, url } = startReceiver((request, count) => {
    const id = request.headers.get("webhook-id");
    first ??= id;
    return id === first ? hang(request, count) : new Response();
  });
  const { counted } = startWebhook(url, { answerMs: 500, maxTries: 2 });
  await receive("one", "two");
  await counted({ waiting: 0, delivered: 1, failed: 1 });
  // On a busy machine "two" may be sent twice, because its first answer came too late.
  expect(subjectsOf(notices).slice(0, 3)).toEqual(["one", "one", "two"]);
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
  const { counted } = startWebhook(url);
  await receive("1", "2", "3", "4", "5");
  await counted({ delivered: 5 });
  await until(() => ended === 5, "five answers to be cut off");
  expect(sentBytes).toBeLessThan(64 * 1024 ** 2);
});

test("a mail that is deleted while its notice waits is still posted", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { notices, url } = startReceiver((_, count) => (count === 1 ? promise : new Response()));
  const { counted } = startWebhook(url);
  await receive("one", "two");
  await counted({ waiting: 2 });
  await store.clear();
  resolve(new Response());
  await counted({ delivered: 2 });
  expect(subjectsOf(notices)).toEqual(["one", "two"]);
});

test("a mail far back in the queue that is deleted before its turn is counted and logged", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { url } = startReceiver((_, count) => (count === 1 ? promise : new Response()));
  const { counted, events } = startWebhook(url);
  const mails = await receive(...Array.from({ length: 1001 }, (_, n) => String(n)));
  await counted({ waiting: 1001 });
  await store.delete([mails[1000]?.id ?? ""]);
  resolve(new Response());
  await counted({ waiting: 0, delivered: 1000, skipped: 1 });
  expect(events).toEqual(["webhook skips a mail that was deleted before its turn"]);
});

describe("a restart", () => {
  test("goes on after the last accepted notice, with the mail that came in between", async () => {
    const saved: Saved = new Map();
    const { notices, url } = startReceiver(
      (_, count) => new Response(null, { status: count === 2 ? 503 : 200 }),
    );
    const first = startWebhook(url, { saved, retryMs: [60_000] });
    await receive("one");
    await first.counted({ delivered: 1 });
    await receive("two");
    await first.counted({ state: "retrying" });
    await first.webhook.stop();
    expect(first.events).toEqual(["webhook fails", "webhook stopped early"]);
    await receive("three");
    const second = startWebhook(url, { saved });
    await second.counted({ delivered: 2, waiting: 0 });
    expect(subjectsOf(notices)).toEqual(["one", "two", "two", "three"]);
  });

  test("before the first notice is accepted loses no notice", async () => {
    const saved: Saved = new Map();
    const { notices, url } = startReceiver(
      (_, count) => new Response(null, { status: count === 1 ? 503 : 200 }),
    );
    const first = startWebhook(url, { saved, retryMs: [60_000] });
    await receive("one");
    await first.counted({ state: "retrying" });
    await first.webhook.stop();
    await startWebhook(url, { saved }).counted({ delivered: 1 });
    expect(subjectsOf(notices)).toEqual(["one", "one"]);
  });

  test("does not apply the filter again to mail that did not match on arrival", async () => {
    const saved: Saved = new Map();
    const { notices, url } = startReceiver();
    const filter = { q: "tag:send OR subject:two" };
    const first = startWebhook(url, { saved, filter });
    const [one] = await receive("one");
    await until(() => saved.get("position") === one?.id, "the position to be noted");
    await first.webhook.stop();
    await store.update([one?.id ?? ""], { tags: ["send"] });
    const second = startWebhook(url, { saved, filter });
    await receive("two");
    await second.counted({ delivered: 1 });
    expect(subjectsOf(notices)).toEqual(["two"]);
  });
});

test("mail that could not be read is read again without a further mail", async () => {
  const { notices, url } = startReceiver();
  await receive("one");
  let looks = 0;
  const walk: Store["walk"] = (...given) =>
    ++looks === 1 ? Promise.reject(new Error("gone")) : store.walk(...given);
  const failing = new Proxy(store, {
    get: (target, name) => (name === "walk" ? walk : Reflect.get(target, name).bind(target)),
  });
  const saved: Saved = new Map([["position", ""]]);
  const { counted, events } = startWebhook(url, { saved, from: failing, readAgainMs: 1 });
  await counted({ delivered: 1 });
  expect(events).toEqual(["webhook cannot read the mail"]);
  expect(subjectsOf(notices)).toEqual(["one"]);
});

describe("a journal", () => {
  const add = (journal: Journal, id: string, status: JournalEntry["status"]) =>
    journal.add({ id, at: "", status, tries: 1 });

  test("never writes over a mail that waits", () => {
    const saved: Saved = new Map();
    const open = () => journalIn(saved, 3);
    const first = open();
    for (const id of ["1", "2", "3", "4", "5"]) add(first, id, "waiting");
    add(first, "1", "delivered");
    add(open(), "6", "waiting");
    expect(
      open()
        .waiting.map(({ id }) => id)
        .toSorted(),
    ).toEqual(["2", "3", "4", "5", "6"]);
  });

  test("stays small", () => {
    const saved: Saved = new Map();
    const journal = journalIn(saved, 2);
    for (let n = 1000; n < 2000; n++) add(journal, String(n), "delivered");
    expect(saved.size).toBe(3);
    expect(journalIn(saved, 2).position).toBe("1999");
  });

  test("is saved one value at a time, only the last of each, and the position after the outcomes", async () => {
    const sets: [string, unknown][] = [];
    let written = Promise.withResolvers<void>();
    const set = (key: string, value: unknown) => {
      sets.push([key, value]);
      return written.promise;
    };
    const { logger, events } = collectingLogger("debug");
    const saver = new JournalSaver({ set }, logger);
    const journal = new Journal(9, (name, value) => saver.save(name, value));
    for (const id of ["1", "2", "3"]) add(journal, id, "delivered");
    expect(sets.map(([key]) => key)).toEqual(["0"]);
    written.reject(new Error("gone"));
    await saver.saveAll();
    // Once for the first value, once for all that came later.
    expect(events).toEqual(["delivery state not saved", "delivery state not saved"]);
    written = Promise.withResolvers();
    written.resolve();
    await saver.saveAll();
    expect(sets.slice(2).map(([key]) => key)).toEqual(["0", "1", "2", "position"]);
    expect(sets.at(-1)).toEqual(["position", "3"]);
    expect(saver.isUnsaved("position")).toBe(false);
  });

  test("that a former leader could not save does not replace the present leader's journal", async () => {
    const sets: string[] = [];
    const set = (key: string) => {
      sets.push(key);
      return Promise.reject(new Error("gone"));
    };
    const saver = new JournalSaver({ set }, collectingLogger("debug").logger);
    saver.save("position", "1");
    await saver.saveAll();
    const before = sets.length;
    saver.forget();
    await saver.saveAll();
    expect(sets).toHaveLength(before);
    expect(saver.isUnsaved("position")).toBe(false);
  });
});

describe("stopping", () => {
  test("sends waiting notices if the receiver works", async () => {
    const { notices, url } = startReceiver();
    const { webhook } = startWebhook(url, { graceMs: 20_000 });
    await receive(...Array.from({ length: 20 }, (_, n) => String(n)));
    await until(() => notices.length > 0, "the first POST");
    await webhook.stop();
    expect(notices).toHaveLength(20);
    await receive("late");
    expect(webhook.state).toMatchObject({ waiting: 0, delivered: 20 });
  });

  test("does not wait for a receiver that hangs", async () => {
    const { notices, url } = startReceiver(hang);
    const { webhook, lines } = startWebhook(url);
    await receive("1", "2", "3");
    await until(() => notices.length === 1, "the first POST");
    await webhook.stop();
    expect(notices).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ event: "webhook stopped early", waiting: 3 });
  });

  test("does not wait for the next try", async () => {
    const { notices, url } = startReceiver(() => new Response(null, { status: 500 }));
    const { webhook, counted } = startWebhook(url, { retryMs: [60_000], graceMs: 30_000 });
    await receive("one", "two");
    await counted({ state: "retrying" });
    await webhook.stop();
    expect(notices).toHaveLength(1);
  });
});
