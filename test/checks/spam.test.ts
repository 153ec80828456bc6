// Answers of spam filters, and the findings made from them.
import { afterAll, describe, expect, test } from "bun:test";
import { checkSpam } from "../../src/checks/spam.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { told } from "./support/mail.ts";

const NOWHERE = CLOSED_ADDRESS;
const RAW = new TextEncoder().encode("Subject: Hello\r\n\r\nHello\r\n");

const REPORT = `SPAMD/1.1 0 EX_OK\r
Content-length: 300\r
Spam: True ; 6.1 / 5.0\r
\r
Content analysis details:   (6.1 points, 5.0 required)

 pts rule name              description
---- ---------------------- --------------------------------------------------
-0.0 NO_RELAYS              Informational: message was not relayed via SMTP
 1.2 MISSING_HEADERS        Missing To: header
 0.1 MISSING_MID            Missing Message-Id:
                            header of some kind
 4.8 GTUBE_LIKE             Looks like a test
`;

const taken: string[] = [];
const spamd = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data(socket, chunk) {
      taken.push(chunk.toString());
      if (!taken.join("").endsWith("Hello\r\n")) return;
      socket.write(REPORT);
      socket.end();
    },
  },
});
const rspamd = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/marks/checkv2")
      return Response.json({ score: 7, required_score: 15, action: "add header", symbols: {} });
    if (pathname !== "/sub/checkv2") return new Response(null, { status: 404 });
    expect(await request.text()).toBe(new TextDecoder().decode(RAW));
    const symbols = { R_MISSING: { name: "R_MISSING", score: 2.5, description: "Something is missing" } };
    return Response.json({ score: 2.5, required_score: 15, action: "no action", symbols });
  },
});
afterAll(async () => {
  spamd.stop(true);
  await rspamd.stop(true);
});

const engines = { spamassassin: undefined, rspamd: undefined };

describe("SpamAssassin", () => {
  test("gives a score, and its rules ordered by points", async () => {
    const check = await checkSpam({
      raw: RAW,
      engines: { ...engines, spamassassin: `127.0.0.1:${spamd.port}` },
    });
    expect(taken.join("")).toStartWith(`REPORT SPAMC/1.5\r\nContent-length: ${RAW.length}\r\n\r\n`);
    expect(check).toMatchObject({ status: "fail", score: 6.1 });
    expect(check.summary).toBe("SpamAssassin: 6.1 of 5 points: 1 error, 2 warnings, 1 note");
    expect(told(check)).toEqual(["spam", "GTUBE_LIKE", "MISSING_HEADERS", "MISSING_MID"]);
    expect(check.findings.at(-1)?.message).toBe(
      "SpamAssassin gives 0.1 points: Missing Message-Id: header of some kind.",
    );
  });
});

describe("an engine that does not answer is named and gives no score", () => {
  test.each([
    [{ spamassassin: NOWHERE }, `SpamAssassin at ${NOWHERE} did not answer: the connection was refused.`],
    [{ rspamd: `http://${NOWHERE}` }, `Rspamd at ${NOWHERE} did not answer: the connection was refused.`],
    [{ rspamd: `http://127.0.0.1:${rspamd.port}` }, `Rspamd at 127.0.0.1:${rspamd.port} answered 404.`],
  ])("if it is the only one: %j", async (named, sentence) => {
    const check = await checkSpam({ raw: RAW, engines: { ...engines, ...named } });
    expect(check).toMatchObject({ status: "fail", score: null, summary: "1 error" });
    expect(check.findings).toMatchObject([{ rule: "no-answer", message: expect.stringContaining(sentence) }]);
  });

  test("if another one answers, whose score counts", async () => {
    const both = { spamassassin: NOWHERE, rspamd: `http://127.0.0.1:${rspamd.port}/sub` };
    const check = await checkSpam({ raw: RAW, engines: both });
    expect(check).toMatchObject({ status: "fail", score: 2.5 });
    expect(told(check)).toEqual(["no-answer", "R_MISSING"]);
  });
});

test("a mail that Rspamd marks as spam fails below the score of a refusal", async () => {
  const rspamdUrl = `http://127.0.0.1:${rspamd.port}/marks`;
  const check = await checkSpam({ raw: RAW, engines: { ...engines, rspamd: rspamdUrl } });
  expect(check).toMatchObject({ status: "fail", score: 7 });
  expect(told(check)).toEqual(["spam"]);
});

test("Rspamd gives a score and symbols", async () => {
  const check = await checkSpam({
    raw: RAW,
    engines: { ...engines, rspamd: `http://127.0.0.1:${rspamd.port}/sub` },
  });
  expect(check).toMatchObject({ status: "warn", score: 2.5, summary: "Rspamd: 2.5 of 15 points: 1 warning" });
  expect(told(check)).toEqual(["R_MISSING"]);
});
