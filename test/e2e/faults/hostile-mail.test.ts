// Hostile mails of extreme sizes, sent to the real program: each is stored and served byte for byte, a mail that
// exceeds the parser's limits is marked, and other clients are answered meanwhile. More shapes are in
// test/mime/hostile.test.ts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { canMeasure, residentMegabytes } from "../../../scripts/bench/process-usage.ts";
import { health } from "../../support/mailbox.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { TURN_LIMIT_MS, useTurns } from "./support/turns.ts";

const MB = 1_000_000;
let dataDir: string;
let server: Running;
let inMemory: Running;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mailkeep-hostile-"));
  const args = ["--max-message-size=50MiB"];
  server = await startMailkeep({ dataDir, args, environment });
  inMemory = await startMailkeep({ args, environment });
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(await inMemory.stop()).toBe(0);
  rmSync(dataDir, { recursive: true, force: true });
});
const { environment, longestTurnMs } = useTurns();

const multipart = (body: string) => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}`;

function nested(depth: number): string {
  let mail = "";
  for (let level = 0; level < depth; level++)
    mail += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  return `${mail}\r\ncore`;
}

/** Makes a zip whose content is a thousand times as large. */
function zipBomb(bytes: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(bytes), { level: 9 });
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(bytes, 22);
  return Buffer.concat([head, packed]);
}

/** Two combining marks whose order normalization changes. */
const MARKS = Buffer.from("\u0301\u0323").toString("latin1");

const MAILS: Record<string, () => string> = {
  "10,000 nested parts": () => nested(10_000),
  "a million empty parts": () => multipart("--b\r\n\r\n".repeat(MB)),
  "20 MB of one header": () => `Subject: ${"x".repeat(20 * MB)}\r\n\r\nbody`,
  "20 MB of many headers": () => `${`X-Filler: ${"y".repeat(88)}\r\n`.repeat(200_000)}\r\nbody`,
  "boundaries that collide": () =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--bb\r\n--b-\r\n".repeat(100_000)}`,
  "lines that nearly are one of 60 boundaries": () => `${nested(60)}\r\n${"--bx\n".repeat(500_000)}`,
  "5 MB of encoded words": () => `Subject: ${"=?utf-8?Q?=C3=A9?=\r\n ".repeat(250_000)}\r\n\r\nbody`,
  "encoded words, each in a charset of its own": () =>
    `Subject: ${Array.from({ length: 25_000 }, (_, index) => `=?x${index}?Q?=C3=A9?= x `).join("")}\r\n\r\nbody`,
  "a Content-ID of encoded words": () => `Content-ID: ${"=?koi8-r?Q?=C3?= a ".repeat(50_000)}\r\n\r\nbody`,
  "a From of encoded words": () => `From: ${"=?koi8-r?Q?=C3?= ,".repeat(50_000)}\r\n\r\nbody`,
  "5 MB of empty headers": () => `${"a:\r\n".repeat(1_250_000)}\r\nbody`,
  "links and results in the header without end": () =>
    `${"List-Unsubscribe: <http://a.b/c>\r\nAuthentication-Results: x; dkim=pass; spf=pass\r\n".repeat(10_000)}\r\n`,
  "10,000 attachments with long names": () =>
    multipart(`--b\r\nContent-Type: a/b; name="${"=?koi8-r?Q?=C3?= a ".repeat(50)}"\r\n\r\n`.repeat(10_000)),
  "a quadratic address list": () =>
    `From: ${'"a" (b(c '.repeat(300_000)}\r\nTo: ${"<a@b,".repeat(300_000)}\r\nCc: ${"g:".repeat(300_000)}\r\n\r\nx`,
  "HTML of 2 MB, nothing but list items": () => `Content-Type: text/html\r\n\r\n${"<li>x".repeat(400_000)}`,
  "HTML of 9 MB, bytes that are invalid in its charset": () =>
    `Content-Type: text/html; charset=utf-8\r\n\r\n${"\xff\xfe\x80\xc3".repeat(2_250_000)}`,
  "base64 of 20 MB, nothing but padding": () =>
    `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${"QQ==".repeat(5 * MB)}`,
  "text of 1 MB, every word different": () =>
    `\r\n${Array.from({ length: 170_000 }, (_, n) => `x${n.toString(36)}`).join(" ")}`,
  "Chinese of 2 MB": () =>
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${Buffer.from(Array.from({ length: 700_000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7919) % 20_000))).join("")).toString("latin1")}`,
  "HTML of 200 KB, links and letters beyond Latin": () =>
    `Content-Type: text/html; charset=utf-8\r\n\r\n${Buffer.from('<p>€ wörld <a href="http://x.y/z">x</a></p>\r\n').toString("latin1").repeat(4000)}`,
  "thousands of marks on one letter of the subject": () => `Subject: a${MARKS.repeat(15_000)}\r\n\r\nbody`,
  "text of 250 KB, all of it marks on one letter": () =>
    `Content-Type: text/plain; charset=utf-8\r\n\r\na${MARKS.repeat(62_000)}`,
  "text of 2 MB, all of it marks on one letter": () =>
    `Content-Type: text/plain; charset=utf-8\r\n\r\na${MARKS.repeat(500_000)}`,
  "text of 7 MB": () => `Content-Type: text/plain\r\n\r\n${"hello \t world\r\n".repeat(500_000)}`,
  "HTML of 1 MB, nested without end": () =>
    `Content-Type: text/html\r\n\r\n${"<div><table><tr><td>".repeat(50_000)}`,
  "a charset that does not exist, and bytes that are none": () =>
    `Subject: =?x-none?Q?=FF=FE?=\r\nContent-Type: text/plain; charset=x-none\r\n\r\n${"\xff\xfe\x80\x00".repeat(100_000)}`,
  "a charset that is not the one it says": () =>
    `Content-Type: text/html; charset=utf-16\r\n\r\n<p>${"\xd8\x00".repeat(100_000)}odd`,
  "a zip bomb": () =>
    multipart(
      `--b\r\nContent-Type: application/zip; name=bomb.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${zipBomb(20 * MB).toString("base64")}\r\n--b--\r\n`,
    ),
};

/** Mails beyond the parser's limits, which are parsed only in part. */
const BEYOND_LIMITS = [
  "10,000 nested parts",
  "a million empty parts",
  "20 MB of one header",
  "20 MB of many headers",
  "boundaries that collide",
  "5 MB of encoded words",
  "5 MB of empty headers",
  "links and results in the header without end",
  "10,000 attachments with long names",
  "a quadratic address list",
  "HTML of 9 MB, bytes that are invalid in its charset",
  "base64 of 20 MB, nothing but padding",
];

const ROUTES = [
  "",
  "?include=preview",
  "/headers",
  "/auth",
  "/attachments",
  "/html",
  "/text",
  "/links",
  "/codes",
  "/export?format=json",
  "/raw",
];

async function readAll({ http }: Running, id: string): Promise<{ statuses: number[]; served: Buffer }> {
  const url = `${http}/api/v1/messages/${id}`;
  const read = async (route: string) => {
    const answer = await fetch(url + route);
    return { answer, bytes: await answer.arrayBuffer() };
  };
  const answers = await Promise.all(ROUTES.map(read));
  const list = await fetch(`${http}/api/v1/messages?limit=1&q=text&include=preview`);
  await list.arrayBuffer();
  return {
    statuses: answers.map(({ answer }) => answer.status).concat(list.status),
    served: Buffer.from(answers.at(-1)?.bytes ?? new ArrayBuffer(0)),
  };
}

async function holdsNobodyUp(target: Running, name: string): Promise<void> {
  const raw = Buffer.from(MAILS[name]?.() ?? "", "latin1");
  const longest = await longestTurnMs(TURN_LIMIT_MS, async () => {
    const id = await deliver(target.smtpPort, { raw });
    const { statuses, served } = await readAll(target, id);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(served.equals(raw)).toBe(true);
    const isParsed = async () => {
      const { headers } = await fetch(`${target.http}/api/v1/messages/${id}`);
      return headers.get("mailkeep-parsed") !== "false";
    };
    // On a busy machine the parser may run out of time. The next request tries again.
    if (BEYOND_LIMITS.includes(name)) expect(await isParsed()).toBe(false);
    else await until(isParsed, "the mail to be parsed");
    expect((await fetch(`${target.http}/api/v1/messages/${id}`, { method: "DELETE" })).status).toBe(204);
  });
  expect(longest).toBeLessThan(TURN_LIMIT_MS);
}

test.each(Object.keys(MAILS))("%s: stored and served byte for byte, and nobody else waits", async (name) => {
  await holdsNobodyUp(server, name);
});

test.each(["20 MB of one header", "text of 1 MB, every word different"])(
  "%s: nobody else waits with --ephemeral, either",
  async (name) => {
    await holdsNobodyUp(inMemory, name);
  },
);

const HEADERS: Record<string, () => string> = {
  "encoded words": () => `Subject: ${"=?koi8-r?Q?=C3?= a ".repeat(50_000)}\r\n`,
  "empty headers": () => "a:\r\n".repeat(250_000),
  "a subject folded without end": () => `Subject: x\r\n${" b\r\n".repeat(240_000)}`,
  "lines that are not headers": () => `a: b\r\n${"c\n".repeat(490_000)}`,
};

test.each(Object.keys(HEADERS))(
  "8 clients at once send a header of 1 MB, %s: nobody else waits",
  async (name) => {
    const raw = Buffer.from(`${HEADERS[name]?.()}\r\nbody\r\n`);
    const longest = await longestTurnMs(TURN_LIMIT_MS, async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, () => deliver(server.smtpPort, { raw })));
      expect(new Set(ids).size).toBe(8);
    });
    expect(longest).toBeLessThan(TURN_LIMIT_MS);
    await fetch(`${server.http}/api/v1/messages`, { method: "DELETE" });
  },
);

test("afterwards everything works, and the log has nothing unexpected", async () => {
  expect(await health(server.http)).toBe("ok");
  expect(server.lines.filter((line) => /"level":"error"|unexpected/.test(line))).toEqual([]);
});

test.skipIf(!canMeasure)("memory stays within bounds (measured on Linux)", () => {
  expect(residentMegabytes(server.process.pid)).toBeLessThan(1000);
});
