// The checks of a message over HTTP: documented fields, parameters and errors. No mail may block the server.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CheckReport } from "../../src/model/index.ts";
import { CHECK_NAMES } from "../../src/model/index.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

const MAIL = [
  "From: Shop <shop@example.com>",
  "To: ann@example.com",
  "Subject: Hello {{name}}",
  "Content-Type: text/html; charset=utf-8",
  "",
  '<p>Hello</p>\n<img src="/logo.png"><div style="display:flex">x</div>',
].join("\r\n");

let mailkeep: Mailkeep;
let id: string;
beforeAll(async () => {
  mailkeep = await startMailkeep();
  ({ id } = await mailkeep.receive(MAIL));
});
afterAll(() => mailkeep.stop());

const check = async (parameters = "", of = id): Promise<CheckReport["checks"]> =>
  (await mailkeep.call(`/api/v1/messages/${of}/checks${parameters}`)).json.checks;

test("every check is answered in its order with exactly the documented fields", async () => {
  const checks = await check();
  expect(checks.map(({ name }) => name)).toEqual([...CHECK_NAMES]);
  for (const one of checks) {
    expect(Object.keys(one)).toEqual(["name", "status", "score", "summary", "findings"]);
    for (const { clients, ...finding } of one.findings) {
      expect(Object.keys(finding)).toEqual(["rule", "severity", "message", "help", "where"]);
      expect(clients === undefined || one.name === "html").toBe(true);
    }
  }
});

test("`only` chooses checks, which are answered in the usual order", async () => {
  expect((await check("?only=accessibility,%20links")).map(({ name }) => name)).toEqual([
    "links",
    "accessibility",
  ]);
});

test("a finding says what, how bad, where and what to do", async () => {
  const [links] = await check("?only=links");
  expect(links).toEqual({
    name: "links",
    status: "fail",
    score: 75,
    summary: "1 link or image: 1 error",
    findings: [
      {
        rule: "link-relative",
        severity: "error",
        message: "An image is relative: “/logo.png”.",
        help: "Write the whole address: a mail has no base address.",
        where: { line: 2, column: 1 },
      },
    ],
  });
});

test("`clients` narrows the check of HTML", async () => {
  const [apple] = await check("?only=html&clients=apple-mail");
  const [outlook] = await check("?only=html&clients=outlook.windows");
  expect([apple?.status, outlook?.status]).toEqual(["pass", "fail"]);
});

describe("authentication", () => {
  test("is off without DNS, and the summary says how to turn it on", async () => {
    const [auth, spam] = await check("?only=auth,spam");
    expect(auth).toMatchObject({ status: "off", score: null, findings: [] });
    expect(auth?.summary).toContain("--check-dns");
    expect(spam).toMatchObject({ status: "off", score: null, findings: [] });
    expect(spam?.summary).toContain("--spamassassin");
  });

  test("with posted records no DNS server is queried", async () => {
    const body = { dns: { "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] } } };
    const answer = await mailkeep.call(`/api/v1/messages/${id}/checks?only=auth`, { method: "POST", body });
    expect(answer.json.checks[0].findings.map(({ rule }: { rule: string }) => rule)).toEqual([
      "dkim-missing",
      "spf-missing",
      "dmarc-fail",
      "dmarc-policy",
    ]);
  });

  const BODIES: readonly (readonly [body: string, error: string])[] = [
    ["{}", "Field dns of the request body is missing."],
    [
      '{"dns":{"a":{"TXT":"x"}}}',
      "Field dns.a.TXT of the request body must be an array of at most 100 values.",
    ],
    ['{"dns":{"a":{"TXT":[1]}}}', "Field dns.a.TXT.0 of the request body must be a string."],
  ];
  test.each(BODIES)("%s is refused", async (rawBody, error) => {
    const answer = await mailkeep.call(`/api/v1/messages/${id}/checks`, { method: "POST", rawBody });
    expect([answer.status, answer.json.error]).toEqual([400, error]);
  });
});

test("links are fetched only when asked for, and private hosts are not", async () => {
  const local = await mailkeep.receive(
    `Subject: x\r\n\r\nhttp://127.0.0.1:${new URL(mailkeep.url).port}/api/v1/health`,
  );
  const rules = async (parameters: string) =>
    (await check(parameters, local.id))[0]?.findings.map(({ rule }) => rule);
  expect(await rules("?only=links")).toEqual(["link-local"]);
  expect(await rules("?only=links&links=fetch")).toEqual(["link-local", "link-not-fetched"]);
});

describe("a wrong request gets an error that says what is wrong", () => {
  const REFUSED: readonly (readonly [parameters: string, message: string])[] = [
    [
      "?only=htm",
      'Parameter only must be some of html, links, auth, content, accessibility, spam, separated by commas, not "htm".',
    ],
    ["?clients=outlok", 'Parameter clients: no mail client is called "outlok"; did you mean outlook?'],
    ["?client=gmail", 'There is no parameter "client" here; did you mean clients?'],
  ];
  test.each(REFUSED)("%s", async (parameters, error) => {
    const answer = await mailkeep.call(`/api/v1/messages/${id}/checks${parameters}`);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe(error);
  });

  test("an unknown message is 404", async () => {
    const answer = await mailkeep.call("/api/v1/messages/01JCW7ZB1MFQ1X6X0000000000/checks");
    expect([answer.status, answer.json.code]).toEqual([404, "unknown_message"]);
  });
});

test("a deleted message has no checks, even if they were made before", async () => {
  const gone = await mailkeep.receive(MAIL);
  await check("", gone.id);
  await mailkeep.call(`/api/v1/messages/${gone.id}`, { method: "DELETE" });
  expect((await mailkeep.call(`/api/v1/messages/${gone.id}/checks`)).status).toBe(404);
});

describe("hostile mail", () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    "100,000 open elements": "<b>".repeat(100_000),
    "40,000 elements that are never closed in order": "<p><b></i>".repeat(40_000),
    "20,000 links": '<a href="x">'.repeat(20_000),
    "comments that never end": `<style>${"/* {".repeat(50_000)}`,
    "quotes that never end": `<style>${"a{b:'".repeat(50_000)}`,
    "braces and percent signs": "{{%*|[[".repeat(50_000),
    "one long word": "x".repeat(1_000_000),
    "tables within tables": "<table><tr><td>".repeat(70_000),
    "a selector without end": `<style>${"a b > c + d ~ e ".repeat(70_000)}`,
    "an endless date": "",
  };
  test.each(Object.keys(HOSTILE))("%s: the server answers other requests meanwhile", async (name) => {
    const field = name === "an endless date" ? `Date: ${"1 ".repeat(400_000)}\r\n` : "";
    const { id: hostile } = await mailkeep.receive(`${field}Content-Type: text/html\r\n\r\n${HOSTILE[name]}`);
    let isDone = false;
    const answer = check("", hostile).finally(() => {
      isDone = true;
    });
    while (!isDone) expect((await mailkeep.call(`/api/v1/messages/${id}`)).status).toBe(200);
    expect(await answer).toHaveLength(CHECK_NAMES.length);
  });
});
