import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { connect, ExpectationError, MailkeepError, UnreachableError } from "../../src/client/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";

/** Answers by method and path, and records the requests. */
let server: Bun.Server<undefined>;
let asked: { url: string; headers: Headers }[];
let answers: Record<string, (request: Request) => Response>;

beforeEach(() => {
  asked = [];
  answers = {};
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push({ url: request.url, headers: new Headers(request.headers) });
      const answer = answers[`${request.method} ${new URL(request.url).pathname}`];
      return (
        answer?.(request) ?? Response.json({ error: "No such route.", code: "not_found" }, { status: 404 })
      );
    },
  });
});
afterEach(() => server.stop(true));

const all = (url: string) => connect({ url, since: "all" });
const inbox = () => all(server.url.href);
const queries = () => asked.map(({ url }) => decodeURIComponent(new URL(url).search));
const problemOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => "no problem",
    (error: Error) => `${error.name}: ${error.message}`,
  );

const summary = {
  id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC",
  sender: "shop@x.test",
  recipients: ["ann@x.test", "bo@x.test"],
  subject: "Your code",
  size: 10,
  has_attachments: true,
  is_read: false,
  is_starred: false,
  tags: [],
  created_at: "2026-11-14T10:00:00.123Z",
};
const message = { ...summary, text_body: "123 456", html_body: "<p>123 456</p>" };
const attachment = {
  id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BD",
  message_id: summary.id,
  filename: "a.txt",
  content_type: "text/plain",
  size: 2,
};

const HEADERS = [
  { name: "From", value: "Shop <shop@x.test>", addresses: [{ name: "Shop", address: "shop@x.test" }] },
  { name: "TO", value: "ann@x.test", addresses: [{ name: "", address: "ann@x.test" }] },
  { name: "Reply-To", value: "help@x.test", addresses: [{ name: "", address: "help@x.test" }] },
  { name: "Date", value: "Sat, 14 Nov 2026 11:00:00 +0100" },
  { name: "Message-ID", value: "<1@x.test>" },
  { name: "Subject", value: "Your code" },
];

function serveMessage(): void {
  const path = `GET /api/v1/messages/${summary.id}`;
  answers[`${path}/links`] = () =>
    Response.json({ links: [{ url: "https://x.test/confirm", text: "Confirm", where: "html", rel: [] }] });
  answers[`${path}/codes`] = () => Response.json({ codes: [{ code: "123456", context: "123 456" }] });
  answers[`${path}/attachments`] = () => Response.json({ attachments: [attachment] });
  answers[`${path}/attachments/${attachment.id}`] = () => new Response("hé");
  answers[`${path}/headers`] = () => Response.json({ headers: HEADERS });
  answers[`${path}/raw`] = () => new Response("raw");
  answers[path] = () => Response.json(message);
}

describe("a mail", () => {
  test("has its text, code, links and attachments", async () => {
    serveMessage();
    answers["GET /api/v1/messages/wait"] = () => Response.json(message);
    const mail = await inbox().waitFor({ to: "ann@x.test" }, { timeout: "1500ms" });
    expect(queries()[0]).toBe("?to=ann@x.test&timeout=1500ms");
    expect(mail).toMatchObject({ ...summary, text: "123 456", html: "<p>123 456</p>", code: "123456" });
    expect(mail).not.toHaveProperty("text_body");
    expect(mail.links[0]?.url).toBe("https://x.test/confirm");
    expect(mail.attachments[0]?.filename).toBe("a.txt");
    expect(await mail.attachments[0]?.text()).toBe("hé");
    expect(new TextDecoder().decode(await mail.raw())).toBe("raw");
  });

  test("has the addresses of its header and of its envelope", async () => {
    serveMessage();
    const mail = await inbox().get(summary.id);
    expect(mail).toMatchObject({
      sender: "shop@x.test",
      recipients: ["ann@x.test", "bo@x.test"],
      from: { name: "Shop", address: "shop@x.test" },
      to: [{ name: "", address: "ann@x.test" }],
      cc: [],
      replyTo: [{ name: "", address: "help@x.test" }],
      date: new Date("2026-11-14T10:00:00Z"),
      messageId: "<1@x.test>",
    });
    expect([mail.header("subject"), mail.header("X-None")]).toEqual(["Your code", null]);
    expect(mail.headers()).toEqual(HEADERS);
  });

  test("has null for fields that are missing, and for a date that is not one", async () => {
    serveMessage();
    answers[`GET /api/v1/messages/${summary.id}/headers`] = () =>
      Response.json({ headers: [{ name: "Date", value: "soon" }] });
    const mail = await inbox().get(summary.id);
    expect(mail).toMatchObject({ from: null, to: [], cc: [], replyTo: [], date: null, messageId: null });
  });

  test("can be changed and removed", async () => {
    serveMessage();
    const path = `/api/v1/messages/${summary.id}`;
    answers[`PATCH ${path}`] = () => Response.json({ ...summary, is_read: true });
    answers[`DELETE ${path}`] = () => new Response(null, { status: 204 });
    const mail = await inbox().get(summary.id);
    expect((await mail.update({ is_read: true })).is_read).toBe(true);
    await mail.delete();
    expect(asked.at(-2)?.headers.get("content-type")).toBe("application/json");
  });

  test("refuses a misspelt change, which the API would ignore", async () => {
    serveMessage();
    const mail = await inbox().get(summary.id);
    expect(await problemOf(mail.update({ is_red: true } as never))).toBe(
      "TypeError: unknown option 'is_red'; known: is_read, is_starred, tags",
    );
  });

  test("is null if no mail matches", async () => {
    answers["GET /api/v1/messages/latest"] = () =>
      Response.json({ error: "No message matches.", code: "no_match" }, { status: 404 });
    expect(await inbox().latest({ subject: "x" })).toBeNull();
  });
});

describe("many mails", () => {
  test("are listed to the end, page by page", async () => {
    answers["GET /api/v1/messages"] = ({ url }) => {
      const before = new URL(url).searchParams.get("before");
      return Response.json({ messages: [summary], total: 2, next_cursor: before ? null : "C1", limit: 200 });
    };
    expect(await inbox().list({ unread: true })).toHaveLength(2);
    expect(queries()).toEqual(["?unread=true&limit=200", "?unread=true&limit=200&before=C1"]);
  });

  test("are listed again from the start if the last one of a page is deleted meanwhile", async () => {
    let deleted = false;
    answers["GET /api/v1/messages"] = ({ url }) => {
      const isFirst = !url.includes("before=");
      if (!isFirst && !deleted) {
        deleted = true;
        return Response.json({ error: "No such mail.", code: "unknown_cursor" }, { status: 400 });
      }
      return Response.json({ messages: [summary], total: 2, next_cursor: isFirst ? "C1" : null, limit: 200 });
    };
    expect(await inbox().list()).toHaveLength(2);
  });

  test("of another address are not deleted through a narrowed inbox", async () => {
    const own = inbox().only({ to: "ann@x.test" });
    expect(await problemOf(own.delete({ to: "bo@x.test" }))).toContain(
      "TypeError: this inbox is limited to 'to'",
    );
    expect(asked).toEqual([]);
  });

  test("are counted and removed only within a narrowed inbox", async () => {
    answers["GET /api/v1/assert/count"] = () => Response.json({ ok: true, count: 3 });
    answers["DELETE /api/v1/messages"] = () => Response.json({ deleted: 3 });
    const own = inbox().only({ to: "ann@x.test" });
    expect(await own.count({ subject: "x" })).toBe(3);
    expect(await own.delete({ tag: "t" })).toBe(3);
    expect(await own.clear()).toBe(3);
    expect(queries()).toEqual(["?to=ann@x.test&subject=x", "?to=ann@x.test&tag=t", "?to=ann@x.test"]);
  });

  test("are not removed through an inbox narrowed by an empty list", async () => {
    answers["DELETE /api/v1/messages"] = () => Response.json({ deleted: 3 });
    const clear = async () => inbox().only({ tag: [] }).clear();
    expect(await problemOf(clear())).toStartWith("TypeError: the filter's 'tag' is an empty list");
    expect(await problemOf(inbox().waitFor({ tag: [] }))).toStartWith("TypeError: the filter's 'tag'");
    expect(asked).toEqual([]);
  });

  test("are not removed by an empty filter or without a filter", async () => {
    // @ts-expect-error In JavaScript the argument may be left out.
    for (const removing of [inbox().delete({}), inbox().delete()]) {
      expect(await problemOf(removing)).toBe(
        "TypeError: delete() needs a filter; clear() removes everything",
      );
    }
    expect(asked).toHaveLength(0);
  });
});

describe("an expectation", () => {
  test("that holds answers with the count", async () => {
    answers["GET /api/v1/assert/count"] = () => Response.json({ ok: true, count: 1, waited_ms: 5 });
    expect(
      await inbox().expectCount({ to: "a@x.test" }, { exactly: 1, timeout: "2s", settle: "500ms" }),
    ).toBe(1);
    expect(queries()).toEqual(["?to=a@x.test&min=1&max=1&timeout=2s&settle=500ms"]);
  });

  test("that fails says what was expected, what is there and which mails almost matched", async () => {
    answers["GET /api/v1/assert/count"] = () =>
      Response.json(
        {
          ok: false,
          count: 0,
          expected_min: 1,
          expected_max: null,
          waited_ms: 2000,
          near_misses: [{ message: summary, missed_by: ["to"] }],
        },
        { status: 417 },
      );
    expect(await problemOf(inbox().expectCount({ to: "c@x.test" }, { min: 1, timeout: "2s" }))).toBe(
      [
        "ExpectationError: Expected at least 1 mail to c@x.test within 2 s; there is none.",
        "The newest mails that did not match:",
        `  "Your code" from shop@x.test to ann@x.test, bo@x.test (does not match: the envelope's recipients)`,
      ].join("\n"),
    );
  });

  test("that fails without a timeout names the mails that almost matched", async () => {
    answers["GET /api/v1/assert/count"] = ({ url }) => {
      const isTimed = new URL(url).searchParams.get("timeout") === "0s";
      const near = { waited_ms: 1, near_misses: [{ message: summary, missed_by: ["to"] }] };
      const answer = { ok: false, count: 0, expected_min: 1, expected_max: null, ...(isTimed && near) };
      return Response.json(answer, { status: 417 });
    };
    expect(await problemOf(inbox().expectCount({ to: "c@x.test" }, { min: 1 }))).toBe(
      [
        "ExpectationError: Expected at least 1 mail to c@x.test; there is none.",
        "The newest mails that did not match:",
        `  "Your code" from shop@x.test to ann@x.test, bo@x.test (does not match: the envelope's recipients)`,
      ].join("\n"),
    );
  });

  test("that fails because there are too many mails shows them", async () => {
    answers["GET /api/v1/assert/count"] = () =>
      Response.json({ ok: false, count: 2, expected_min: 1, expected_max: 1 }, { status: 417 });
    answers["GET /api/v1/messages"] = () =>
      Response.json({ messages: [summary, summary], total: 2, next_cursor: null, limit: 5 });
    const line = '  "Your code" from shop@x.test to ann@x.test, bo@x.test';
    expect(await problemOf(inbox().expectCount({}, { exactly: 1 }))).toBe(
      `ExpectationError: Expected exactly 1 mail; there are 2.\nThese match:\n${line}\n${line}`,
    );
  });

  test("without a bound is refused", async () => {
    // @ts-expect-error In JavaScript the argument may be left out.
    for (const counting of [inbox().expectCount({}, {}), inbox().expectCount({})]) {
      expect(await problemOf(counting)).toBe("TypeError: expectCount needs min, max or exactly");
    }
  });

  test("of null is refused, because it would expect no mail", async () => {
    for (const expectation of [{ exactly: null }, { min: null }, { max: null }, null]) {
      const counting = inbox().expectCount({}, expectation as never);
      expect(await problemOf(counting)).toBe("TypeError: expectCount needs min, max or exactly");
    }
  });

  test("with a minimum above its maximum is refused", async () => {
    expect(await problemOf(inbox().expectCount({}, { min: 1, max: 0 }))).toBe(
      "TypeError: expectCount cannot be met: at least 1 and at most 0",
    );
  });

  test.each([
    { exactly: 1, min: 0 },
    { exactly: 2, max: 3 },
  ])("is either exact or a range: %j is refused", async (expectation) => {
    expect(await problemOf(inbox().expectCount({}, expectation))).toBe(
      "TypeError: expectCount takes either exactly, or min and max",
    );
  });

  test("of a mail that does not come says so and has the answer of the API", async () => {
    const answer = { error: "No message matched.", code: "timeout", waited_ms: 501, near_misses: [] };
    answers["GET /api/v1/messages/wait"] = () => Response.json(answer, { status: 417 });
    const error = await inbox()
      .waitFor({ subject: "Welcome" }, { timeout: "500ms" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExpectationError);
    expect(error).toMatchObject({
      message: 'No mail with a subject containing "Welcome" came within 500 ms.',
      answer,
    });
  });
});

test("options that are a number or a string are refused, and not ignored", async () => {
  const problem = 'TypeError: options are an object such as { timeout: "10s" }';
  for (const options of [30_000, "30s", null]) {
    expect(await problemOf(inbox().waitFor({}, options as never))).toBe(problem);
    expect(await problemOf(inbox().list({}, options as never))).toBe(problem);
  }
  expect(asked).toEqual([]);
});

test("options that are null count as not given", async () => {
  answers["GET /api/v1/messages"] = () => Response.json({ messages: [summary], next_cursor: null });
  answers["GET /api/v1/messages/wait"] = () => Response.json(message);
  answers["GET /api/v1/assert/count"] = () => Response.json({ ok: true, count: 1 });
  serveMessage();
  expect(await inbox().list({}, { limit: null } as never)).toHaveLength(1);
  await inbox().waitFor({}, { timeout: null } as never);
  await inbox().expectCount({}, { exactly: null, max: 2, timeout: null, settle: null } as never);
  await inbox().expectCount({}, { exactly: null, min: 1 } as never);
  expect(queries().filter(Boolean)).toEqual([
    "?limit=200",
    "?timeout=4s",
    "?include=addresses",
    "?include=sha256",
    "?max=2&timeout=0s&settle=0s",
    "?min=1&timeout=0s&settle=0s",
  ]);
});

test.each([0, -1, 1.5, Number.NaN])("the limit %p is refused", async (limit) => {
  const problem = `TypeError: limit must be a whole number of at least 1, not '${limit}'`;
  expect(await problemOf(inbox().list({}, { limit }))).toBe(problem);
  expect(await problemOf(inbox().rejections({ limit }))).toBe(problem);
});

describe("an inbox", () => {
  const NOW = Date.parse("2026-11-14T10:00:00Z");
  const HOUR_MS = 3_600_000;
  /** The parameter `since` of each request, relative to the time of the server. */
  const since = () =>
    asked.flatMap(({ url }) =>
      new URL(url).searchParams.getAll("since").map((time) => Date.parse(time) - NOW),
    );

  beforeEach(() => {
    answers["GET /api/v1/info"] = () => Response.json({ time: new Date(NOW).toISOString() });
    answers["GET /api/v1/assert/count"] = () => Response.json({ ok: true, count: 0 });
  });

  test("begins at connect(), by the server's clock", async () => {
    const own = connect(server.url.href).only({ to: "ann@x.test" });
    await own.count();
    await own.count({ subject: "x" });
    expect(since()).toHaveLength(2);
    for (const distance of since()) expect(Math.abs(distance)).toBeLessThan(30_000);
    expect(asked.filter(({ url }) => url.endsWith("/info"))).toHaveLength(1);
  });

  test.each(["2020-01-01", "2040-01-01"])("begins at connect() if the test then fakes %s", async (date) => {
    const own = connect(server.url.href);
    setSystemTime(new Date(date));
    await own.count().finally(() => setSystemTime());
    expect(Math.abs(since()[0] ?? Number.NaN)).toBeLessThan(30_000);
  });

  test("is not made from an address and options, because the options would have no effect", () => {
    const given = [server.url.href, { inbox: "ci-42" }] as unknown as [string];
    expect(() => connect(...given)).toThrow("connect takes an address or options");
  });

  test("does not see mail from just before connect() if the clocks may be equal", async () => {
    answers["GET /api/v1/info"] = () => Response.json({ time: new Date().toISOString() });
    const [before, own, after] = [Date.now(), connect(server.url.href), Date.now()];
    await own.count();
    const [begun = 0] = since();
    expect(begun + NOW).toBeWithin(before, after + 1);
  });

  test.each([{}, { since: "0s" }])("sees mail that is sent right after connect(%j)", async (given) => {
    answers["GET /api/v1/info"] = () => Response.json({ time: new Date().toISOString() });
    const [own, sent] = [connect({ url: server.url.href, ...given }), Date.now()];
    await own.count(given);
    expect((since()[0] ?? 0) + NOW).toBeLessThan(sent);
  });

  test("begins at connect() even if the server starts later", async () => {
    answers["GET /api/v1/info"] = () => new Response(null, { status: 503 });
    const [before, own, after] = [Date.now(), connect(server.url.href), Date.now()];
    expect(await problemOf(own.count())).toContain("a proxy could not reach Mailkeep");
    answers["GET /api/v1/info"] = () => Response.json({ time: new Date().toISOString() });
    await own.count();
    expect((since()[0] ?? 0) + NOW).toBeWithin(before, after + 1);
  });

  test.each([
    ["all", []],
    ["2026-11-14T09:00:00Z", [-HOUR_MS]],
    [new Date(NOW - HOUR_MS), [-HOUR_MS]],
  ])("begins at %p, given to connect() or in a filter", async (given, expected) => {
    await connect({ url: server.url.href, since: given }).count();
    await connect(server.url.href).count({ since: given });
    expect(since()).toEqual([...expected, ...expected]);
    expect(asked).toHaveLength(2);
  });

  test("begins a span before now", async () => {
    await connect({ url: server.url.href, since: "1h" }).count();
    expect(Math.abs((since()[0] ?? 0) + HOUR_MS)).toBeLessThan(30_000);
  });

  test.each([5, "yesterday", "5 minutes", ""])("cannot begin at %p", async (given) => {
    const since = given as string;
    const sentence = `since must be "all", a time, a span such as "10m" or the id of a mail, not '${since}'`;
    expect(() => connect({ url: server.url.href, since })).toThrow(sentence);
    expect(await problemOf(connect(server.url.href).count({ since }))).toBe(`TypeError: ${sentence}`);
  });

  test("does not remove earlier mail", async () => {
    answers["DELETE /api/v1/messages"] = () => Response.json({ deleted: 0 });
    await connect(server.url.href).clear();
    expect(since()).toHaveLength(1);
  });

  test("says that a mail came before connect()", async () => {
    const near_misses = [
      { message: summary, missed_by: ["since"] },
      { message: summary, missed_by: ["header_to", "since"] },
    ];
    answers["GET /api/v1/messages/wait"] = () =>
      Response.json({ error: "No.", code: "timeout", waited_ms: 4000, near_misses }, { status: 417 });
    const line = '  "Your code" from shop@x.test to ann@x.test, bo@x.test';
    expect(await problemOf(connect(server.url.href).waitFor({ headerTo: "cy@x.test" }))).toBe(
      [
        "ExpectationError: No mail with cy@x.test in the To header came within 4 s.",
        "The newest mails that did not match:",
        `${line} (came before connect())`,
        `${line} (does not match: the To header; came before connect())`,
      ].join("\n"),
    );
    expect(await problemOf(connect(server.url.href).waitFor({ since: "1h" }))).toEndWith(
      `${line} (does not match: the To header, since)`,
    );
  });
});

describe("the connection", () => {
  test("reports an address where no server answers", async () => {
    const url = `http://${CLOSED_ADDRESS}`;
    const error = await connect(url)
      .count()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(String(error)).toContain(`Mailkeep does not answer at ${url} (connection refused).`);
  });

  test("asks for --cors-origin in a page, because a browser does not tell why there is no answer", async () => {
    Object.assign(globalThis, { document: {} });
    try {
      expect(await problemOf(connect(`http://${CLOSED_ADDRESS}`).count())).toEndWith(
        "Is it running, is this its address, and does --cors-origin name this page's origin?",
      );
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
  });

  test("says that the test environment has no fetch", async () => {
    const { fetch } = globalThis;
    Reflect.deleteProperty(globalThis, "fetch");
    const problem = await problemOf(inbox().count()).finally(() => Object.assign(globalThis, { fetch }));
    expect(problem).toBe(
      "MailkeepError: This test environment has no fetch. With Jest's jsdom, begin the test file with /** @jest-environment node */.",
    );
  });

  test("passes on the server's own sentence and code", async () => {
    answers["GET /api/v1/messages/wait"] = () =>
      Response.json({ error: "Parameter timeout must be …", code: "invalid_parameter" }, { status: 400 });
    const error = await inbox()
      .waitFor({}, { timeout: "1s" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailkeepError);
    expect(error).toMatchObject({
      message: "Parameter timeout must be …",
      code: "invalid_parameter",
      status: 400,
    });
  });

  test("recognises an answer that is not from Mailkeep", async () => {
    answers["GET /api/v1/assert/count"] = () => new Response("<h1>Not found</h1>", { status: 404 });
    expect(await problemOf(inbox().count())).toBe(
      `MailkeepError: ${server.url.origin}/api/v1/assert/count answered 404, which is not an answer of Mailkeep. Is the address right?`,
    );
  });

  test("names the address if it has the path of a page", async () => {
    answers["GET /messages/api/v1/assert/count"] = () =>
      Response.json({ error: "There is nothing at this path.", code: "unknown_path" }, { status: 404 });
    expect(await problemOf(all(`${server.url.origin}/messages`).count())).toBe(
      `MailkeepError: There is nothing at ${server.url.origin}/messages/api/v1/assert/count. Is this Mailkeep's address?`,
    );
  });

  test.each([
    ["/health", "without 'checks'", () => inbox().health()],
    ["/messages?limit=200", "without 'next_cursor'", () => inbox().list()],
    ["/messages/latest", "without 'id'", () => inbox().latest()],
    ["/assert/count", "without 'count'", () => inbox().count()],
    [
      "/export?format=mbox",
      "with application/json instead of application/mbox",
      () => inbox().export("mbox"),
    ],
  ])("recognises at %s that null is not an answer of Mailkeep", async (path, what, ask) => {
    const address = `/api/v1${path}`;
    answers[`GET ${address.replace(/\?.*/, "")}`] = () =>
      new Response("null", { headers: { "content-type": "application/json" } });
    expect(await problemOf(ask())).toBe(
      `MailkeepError: ${server.url.origin}${address} answered ${what}, which is not an answer of Mailkeep. Is the address right?`,
    );
  });

  test.each([
    ["/messages/wait?timeout=2m", 504, () => inbox().waitFor({}, { timeout: "2m" })],
    ["/health", 503, () => inbox().health()],
  ])("recognises at %s that %d is the answer of a proxy", async (path, status, ask) => {
    answers[`GET /api/v1${path.replace(/\?.*/, "")}`] = () => new Response("<html>", { status });
    expect(await problemOf(ask())).toBe(
      `MailkeepError: ${server.url.origin}/api/v1${path} answered ${status}: a proxy could not reach Mailkeep, or did not wait for its answer.`,
    );
  });

  test("accepts an export whose type has a charset, which a proxy may add", async () => {
    answers["GET /api/v1/export"] = () =>
      new Response("From a@x", { headers: { "content-type": "Application/mbox; charset=utf-8" } });
    expect(await new Response(await inbox().export("mbox")).text()).toBe("From a@x");
  });

  test("does not take a missing page for a missing mail", async () => {
    answers["GET /api/v1/messages/latest"] = () => new Response("Not found", { status: 404 });
    expect(await problemOf(inbox().latest())).toContain("answered 404, which is not an answer of Mailkeep");
  });

  test("sends the credentials of the address as Basic auth", async () => {
    answers["GET /api/v1/assert/count"] = () => Response.json({ ok: true, count: 0 });
    await all(server.url.href.replace("://", "://ann:p%C3%A9%3A@")).count();
    const expected = Buffer.from("ann:pé:").toString("base64");
    expect(asked[0]?.headers.get("authorization")).toBe(`Basic ${expected}`);
    expect(asked[0]?.url).toBe(`${server.url.origin}/api/v1/assert/count`);
  });

  test("takes the address from MAILKEEP_URL, or else the default", () => {
    const before = process.env.MAILKEEP_URL;
    try {
      process.env.MAILKEEP_URL = "http://mail.test:1/";
      expect(connect().url).toBe("http://mail.test:1");
      process.env.MAILKEEP_URL = "";
      expect(connect().url).toBe("http://127.0.0.1:8025");
    } finally {
      if (before === undefined) delete process.env.MAILKEEP_URL;
      else process.env.MAILKEEP_URL = before;
    }
  });

  test.each(["/", "/api/v1", "/api/v1/"])("accepts an address that ends in %s", (path) => {
    expect(connect(`http://mail.test/behind/a/proxy${path}`).url).toBe("http://mail.test/behind/a/proxy");
  });

  test.each(["localhost:8025", "ftp://x", ""])("refuses %p as an address", (url) => {
    expect(() => connect(url)).toThrow("is not a Mailkeep address");
  });

  test.each([{ url: 25 }, null])("refuses %p, which is not text, as an address", (given) => {
    expect(() => connect(given as unknown as string)).toThrow("is not a Mailkeep address");
  });

  test("says how a % in a password is written", () => {
    expect(() => connect("http://ann:100%@mail.test")).toThrow("write % as %25");
  });

  test("does not show the password of an address that it refuses", () => {
    expect(() => connect("ftp://user:secret@mail.test")).toThrow(
      /^'ftp:\/\/…@mail\.test' is not a Mailkeep address/,
    );
  });

  test("can be given up", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers["GET /api/v1/messages/wait"] = () => promise as unknown as Response;
    const waiting = inbox().waitFor({}, { signal: AbortSignal.timeout(20) });
    expect(await problemOf(waiting)).toStartWith("TimeoutError:");
    resolve(new Response());
  });

  test("can be aborted in the middle of its answer", async () => {
    answers["GET /api/v1/messages/wait"] = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"id":')) }));
    const waiting = inbox().waitFor({}, { signal: AbortSignal.timeout(20) });
    expect(await problemOf(waiting)).toStartWith("TimeoutError:");
  });

  test("can be given up while links and codes are read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = () => promise.then(() => new Response()) as unknown as Response;
    answers["GET /api/v1/messages/wait"] = () => Response.json(summary);
    for (const part of ["headers", "links", "codes", "attachments"])
      answers[`GET /api/v1/messages/${summary.id}/${part}`] = late;
    const waiting = inbox().waitFor({}, { signal: AbortSignal.timeout(20) });
    expect(await problemOf(waiting)).toStartWith("TimeoutError:");
    resolve();
  });

  test.each([
    ["an error is read", "GET /api/v1/assert/count", 500],
    ["the matching mails are listed", "GET /api/v1/messages", 200],
  ])("can be given up while %s", async (_name, stalling, status) => {
    answers["GET /api/v1/assert/count"] = () =>
      Response.json({ ok: false, count: 2, expected_min: 1, expected_max: 1 }, { status: 417 });
    answers[stalling] = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) }), {
        status,
      });
    const counting = inbox().expectCount({}, { exactly: 1, signal: AbortSignal.timeout(20) });
    expect(await problemOf(counting)).toStartWith("TimeoutError:");
  });
});

test("subscribe() calls back for events from the moment when it resolves", async () => {
  const { promise: received, resolve } = Promise.withResolvers<unknown>();
  using sockets = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: "messages:clear" })),
      message() {},
    },
  });
  const subscription = await connect(sockets.url.href).subscribe(resolve);
  expect(await received).toEqual({ type: "messages:clear" });
  subscription.close();
  await subscription.closed;
});

describe("a subscription that is refused says that", () => {
  const refusal = (url = server.url.href) => problemOf(all(url).subscribe(() => {}));

  test("the server asks for credentials", async () => {
    answers["GET /api/v1/info"] = () => new Response(null, { status: 401 });
    expect(await refusal()).toEndWith(
      "it requires credentials: give a token, or put user and password into the address, as in http://user:password@host:8025.",
    );
  });

  test("the server answers, but accepts no WebSocket", async () => {
    answers["GET /api/v1/info"] = () => Response.json({ name: "mailkeep" });
    expect(await refusal()).toContain("(the WebSocket was refused)");
  });

  test("nobody answers", async () => {
    expect(await refusal(`http://${CLOSED_ADDRESS}`)).toContain("(connection refused)");
  });
});

test("a misspelt option is refused", async () => {
  const misspelt = { exactly: 1, settel: "1s" };
  expect(await problemOf(inbox().expectCount({}, misspelt))).toBe(
    "TypeError: unknown option 'settel'; known: exactly, min, max, timeout, settle, signal",
  );
  expect(await problemOf(inbox().waitFor({}, { timeOut: "1m" } as never))).toBe(
    "TypeError: unknown option 'timeOut'; known: timeout, signal",
  );
  expect(await problemOf(inbox().list({}, { max: 3 } as never))).toBe(
    "TypeError: unknown option 'max'; known: limit, signal",
  );
  expect(asked).toEqual([]);
});

test("fail() for another address than that of a narrowed inbox throws", async () => {
  const rule = { at: "RCPT", reply: 450 } as const;
  const ann = inbox().only({ to: "ann@x.test" });
  expect(await problemOf(ann.fail({ ...rule, to: "bo@x.test" }))).toBe(
    `TypeError: this inbox is limited to 'to' "ann@x.test", so it cannot be filtered by 'to' "bo@x.test"`,
  );
  expect(asked).toEqual([]);
});
