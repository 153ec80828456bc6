// Receives large ordinary mails while others arrive. A search finds each right after its 250.
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMeasure, peakMegabytes } from "../../scripts/bench/process-usage.ts";
import { type Running, startMailkeep } from "../support/mailkeep.ts";
import { openSession, sendMail } from "../support/smtp-client.ts";

const MAILS = 6;
/** Sent at the same time as each large mail. */
const SMALL_MAILS = 50;
const WORDS =
  "the order of your friend has left our house and will be there soon with all that was asked for".split(" ");

let remove = () => {};
afterEach(() => remove());

/** Some words are common and many are rare, as in any language. */
function prose(chars: number, seed: number): string {
  const lines: string[] = [];
  for (let length = 0, n = seed; length < chars; n += 7) {
    const line = `${WORDS.map((word, at) => (at % 5 === 0 ? `${word}${(n * 31 + at) % 3000}` : word)).join(" ")}\r\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}

const ATTACHMENT = Buffer.alloc(220_000, "attachment").toString("base64").replace(/.{76}/g, "$&\r\n");

const KINDS = [
  (n: number) =>
    `Subject: report\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${prose(4000, n)} needle${n}\r\n--b\r\nContent-Type: application/pdf; name=report.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${ATTACHMENT}\r\n--b--\r\n`,
  (n: number) => `Subject: book\r\n\r\n${prose(800_000, n)} needle${n}\r\n`,
];

async function sender(server: Running) {
  const client = await openSession(server.smtpPort);
  return async (raw: string) => expect(await sendMail(client, { raw })).toStartWith("250");
}

test.each(["files", "memory"])("in %s, a search misses no large mail", async (kept) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mailkeep-large-"));
  remove = () => rmSync(dataDir, { recursive: true, force: true });
  await using server = await startMailkeep(kept === "files" ? { dataDir } : {});
  const send = await sender(server);
  const sendBeside = await sender(server);
  const missed: string[] = [];
  for (let n = 0; n < MAILS; n++) {
    const kind = n % KINDS.length;
    const others = (async () => {
      for (let small = 0; small < SMALL_MAILS; small++) {
        await sendBeside(`Subject: small ${small}\r\n\r\n${prose(1000, small)}`);
      }
    })();
    await send(KINDS[kind]?.(n) ?? "");
    const answer = await fetch(`${server.http}/api/v1/messages?q=%22needle${n}%22`);
    if (((await answer.json()) as { total: number }).total !== 1) missed.push(`${n} of kind ${kind}`);
    await others;
  }
  expect(missed).toEqual([]);
});

test.skipIf(!canMeasure)("forty large mails at once do not wait in memory (measured on Linux)", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mailkeep-large-"));
  remove = () => rmSync(dataDir, { recursive: true, force: true });
  await using server = await startMailkeep({ dataDir });
  const raw = `Subject: backup\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${ATTACHMENT.repeat(50)}`;
  const senders = await Promise.all(Array.from({ length: 40 }, () => sender(server)));
  const before = peakMegabytes(server.process.pid);
  await Promise.all(senders.map((send) => send(raw)));
  expect(peakMegabytes(server.process.pid) - before).toBeLessThan(250);
});
