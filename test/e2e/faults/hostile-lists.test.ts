// Lists, filters and changes of mails with long subjects and thousands of long recipients, through the real program: each mail is within
// its limits, and a page of them is an answer of megabytes. Read by bare sockets: what the probe itself waits for
// must not be this test's own work.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver, openSmtp } from "../../support/smtp-client.ts";
import { ANSWER_LIMIT_MS, shortestWorstWait } from "./support/probe.ts";

setDefaultTimeout(240_000);

const LISTS = 20;

interface Mails {
  readonly count: number;
  readonly subject: string;
  readonly recipients: readonly string[];
}

const MAILS: Record<string, Mails> = {
  "199 mails with subjects of 64 KB": {
    count: 199,
    subject: "x".repeat(64 * 1024),
    recipients: ["b@example.com"],
  },
  "40 mails with 1000 recipients of 450 characters": {
    count: 40,
    subject: "many",
    recipients: Array.from({ length: 1000 }, (_, n) => `${n}${"a".repeat(450)}@example.com`),
  },
};

/** The id of what was sent. */
async function send(port: number, { subject, recipients }: Mails): Promise<string> {
  const client = await openSmtp(port);
  await client.reply();
  await client.command("EHLO test");
  await client.command("MAIL FROM:<a@example.com>");
  client.write(recipients.map((recipient) => `RCPT TO:<${recipient}>\r\n`).join(""));
  for (const _ of recipients) expect(await client.reply()).toStartWith("250 ");
  const raw = `Subject: ${subject}\r\n\r\nbody`;
  client.write(`BDAT ${raw.length} LAST\r\n${raw}`);
  const stored = await client.reply();
  client.end();
  expect(stored).toStartWith("250 ");
  return /\b[0-9A-Z]{26}\b/.exec(stored)?.[0] ?? "";
}

/** The number of bytes that came. */
function read({ http }: Running, path: string, method = "GET", body = ""): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(http).port), "127.0.0.1");
    let bytes = 0;
    socket.on("data", (piece) => {
      bytes += piece.length;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(bytes));
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
    const type = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(`${head}${type}\r\n${body}`);
  });
}

describe.each(Object.keys(MAILS))("nobody else waits for lists of %s", (name) => {
  const mails = MAILS[name] as Mails;
  const pageBytes = mails.count * (mails.subject.length + mails.recipients.join().length);
  const ids: string[] = [];
  let dataDir: string;
  let server: Running;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "mailkeep-hostile-lists-"));
    server = await startMailkeep({ dataDir });
    ids.length = 0;
    for (let sent = 0; sent < mails.count; sent++) ids.push(await send(server.smtpPort, mails));
    // What the probe lists and finds is short.
    await deliver(server.smtpPort, { raw: "Subject: word\r\n\r\nword" });
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each([
    ["of all", "/api/v1/messages?limit=200", LISTS],
    ["of what is found", "/api/v1/messages?limit=200&q=body", LISTS],
    ["with previews", "/api/v1/messages?limit=200&include=preview", 1],
  ])("%s", async (_, path, times) => {
    const waited = await shortestWorstWait(server, async () => {
      const answers = await Promise.all(Array.from({ length: times }, () => read(server, path)));
      for (const bytes of answers) expect(bytes).toBeGreaterThan(pageBytes);
    });
    expect(waited).toBeLessThan(ANSWER_LIMIT_MS);
  });

  test("nor for an export", async () => {
    const waited = await shortestWorstWait(server, () => read(server, "/api/v1/export?format=zip"));
    expect(waited).toBeLessThan(ANSWER_LIMIT_MS);
  });

  test.each([
    ["lists filtered by a recipient", "/api/v1/messages?limit=1&recipient=aaaaaaaaab"],
    ["lists filtered by a subject", "/api/v1/messages?limit=1&subject=xxxxxxxxxy"],
    ["assertions that fail", "/api/v1/assert/count?min=1&to=nobody@example.com&timeout=0"],
  ])("nor for twenty %s", async (_, path) => {
    const waited = await shortestWorstWait(server, () =>
      Promise.all(Array.from({ length: LISTS }, () => read(server, path))),
    );
    expect(waited).toBeLessThan(ANSWER_LIMIT_MS);
  });

  test("nor while all of them are changed", async () => {
    const body = JSON.stringify({ ids, is_read: true, tags: ["seen"] });
    const waited = await shortestWorstWait(server, async () => {
      expect(await read(server, "/api/v1/messages", "PATCH", body)).toBeGreaterThan(pageBytes);
    });
    expect(waited).toBeLessThan(ANSWER_LIMIT_MS);
  });
});
