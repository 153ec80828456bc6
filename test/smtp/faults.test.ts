// Faults on purpose, as clients see them.
import { expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { Faults } from "../../src/app/index.ts";
import { nextTurn } from "../../src/lib/runtime.ts";
import type { FaultRule } from "../../src/model/index.ts";
import { SmtpCounts } from "../../src/smtp/connections.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { refusalOnPurpose } from "../../src/smtp/protocol/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
const now = () => new Date();

const start = (rules: readonly FaultRule[], addresses = false) =>
  startTestServer({ tls, faults: new Faults({ now, rules, addresses }) });

const nodemailer = (port: number, options = {}) =>
  createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false }, ...options });

const mailTo = (to: string) => ({ from: "app@example.com", to, subject: "Hi", text: "Hello" });

/** Sends a mail until it is accepted, at most ten times, and returns the replies that refused it. */
async function retried(port: number, to: string): Promise<string[]> {
  const refusals: string[] = [];
  while (refusals.length < 10) {
    try {
      await nodemailer(port).sendMail(mailTo(to));
      return refusals;
    } catch (error) {
      refusals.push((error as { response: string }).response);
    }
  }
  return refusals;
}

test("a rule refuses the first two tries at RCPT, and nodemailer's third is delivered", async () => {
  const reply = { code: 450, enhanced: "4.2.2", text: "Mailbox full" };
  await using running = await start([{ name: "full", at: "rcpt", to: "ann@example.com", reply, first: 2 }]);
  expect(await retried(running.server.port, "ann@example.com")).toEqual([
    "450 4.2.2 Mailbox full",
    "450 4.2.2 Mailbox full",
  ]);
  expect(running.mailbox.mails.length).toBe(1);
});

test("tests that run at the same time with their own rules do not affect each other", async () => {
  const tests = Array.from({ length: 8 }, (_, index) => ({
    to: `user${index}@example.com`,
    times: index + 1,
  }));
  await using running = await start(
    tests.map(({ to, times }) => ({
      name: to.split("@")[0] ?? "",
      at: "rcpt",
      to,
      reply: { code: 451 },
      times,
    })),
  );
  const refused = await Promise.all(
    tests.map(async ({ to }) => (await retried(running.server.port, to)).length),
  );
  expect(refused).toEqual(tests.map(({ times }) => times));
});

const STAGES: [FaultRule["at"], string[]][] = [
  ["connect", []],
  ["ehlo", ["EHLO a"]],
  ["mail", ["EHLO a", "MAIL FROM:<a@b.example>"]],
  ["rcpt", ["EHLO a", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>"]],
  ["data", ["EHLO a", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA"]],
  ["end", ["EHLO a", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA", "Hi\r\n."]],
  ["auth", ["EHLO a", "AUTH PLAIN AGEAYg=="]],
  ["starttls", ["EHLO a", "STARTTLS"]],
];

async function converse(port: number, commands: readonly string[]): Promise<string[]> {
  using client = await RawClient.connect(port);
  const replies = [await client.reply()];
  for (const command of commands) replies.push(await client.command(command));
  return replies;
}

test.each(STAGES)(
  "at %s a rule replies, and earlier commands are answered as usual",
  async (at, commands) => {
    await using running = await start([{ name: "no", at, reply: { code: 454, text: "Not now" } }]);
    const replies = await converse(running.server.port, commands);
    expect(replies.pop()).toBe("454 4.0.0 Not now");
    expect(replies.filter((reply) => !/^[23]/.test(reply))).toEqual([]);
    expect(running.mailbox.mails).toEqual([]);
  },
);

test.each(STAGES)("at %s a rule drops the connection without a word", async (at, commands) => {
  await using running = await start([{ name: "gone", at, drop: true }]);
  const replies = await converse(running.server.port, commands);
  expect(replies.pop()).toBe("");
  expect(replies.filter((reply) => !/^[23]/.test(reply))).toEqual([]);
  expect(running.mailbox.mails).toEqual([]);
});

test("a message that comes by BDAT is refused at data and at end, too", async () => {
  const at = (stage: "data" | "end"): FaultRule => ({
    name: stage,
    at: stage,
    reply: { code: 452 },
    times: 1,
  });
  await using running = await start([at("data"), at("end")]);
  using client = await RawClient.greeted(running.server.port);
  for (const expected of ["452 4.0.0 Refused on purpose by data", "452 4.0.0 Refused on purpose by end"]) {
    await client.startMail();
    client.send("BDAT 4 LAST\r\nHi\r\n");
    expect(await client.reply()).toBe(expected);
  }
  await client.startMail();
  client.send("BDAT 4 LAST\r\nHi\r\n");
  expect(await client.reply()).toStartWith("250");
});

test("a client that requires TLS fails when STARTTLS is refused; another continues without it", async () => {
  await using running = await start([{ name: "no-tls", at: "starttls", reply: { code: 454 } }]);
  const { port } = running.server;
  await expect(nodemailer(port, { requireTLS: true }).sendMail(mailTo("a@example.com"))).rejects.toThrow(
    "454",
  );
  await nodemailer(port, { opportunisticTLS: true }).sendMail(mailTo("a@example.com"));
  expect(running.mailbox.mails.length).toBe(1);
});

test("a rule holds inside TLS, too", async () => {
  await using running = await start([{ name: "no", at: "data", reply: { code: 554 } }]);
  const sent = nodemailer(running.server.port, { requireTLS: true }).sendMail(mailTo("a@example.com"));
  await expect(sent).rejects.toThrow("554 5.0.0 Refused on purpose by no");
});

test("421 closes the connection after it", async () => {
  await using running = await start([{ name: "busy", at: "mail", reply: { code: 421 } }]);
  using client = await RawClient.greeted(running.server.port);
  await client.command("EHLO a");
  expect(await client.command("MAIL FROM:<a@b.example>")).toStartWith("421 4.0.0");
  expect(await client.closed()).toBe("");
});

test("a delay holds the reply back, and lets the mail through", async () => {
  await using running = await start([{ name: "slow", at: "rcpt", delay: "150ms" }]);
  const begun = performance.now();
  await nodemailer(running.server.port).sendMail(mailTo("a@example.com"));
  expect(performance.now() - begun).toBeGreaterThanOrEqual(149);
  expect(running.mailbox.mails.length).toBe(1);
});

test("a delay of the greeting makes a client that waits less give up", async () => {
  await using running = await start([{ name: "slow", at: "connect", delay: "5m" }]);
  const impatient = nodemailer(running.server.port, { greetingTimeout: 50 });
  await expect(impatient.sendMail(mailTo("a@example.com"))).rejects.toThrow("Greeting never received");
});

test("replies before a delay in the same pipeline are sent at once", async () => {
  await using running = await start([{ name: "slow", at: "rcpt", delay: "5m" }]);
  using client = await RawClient.greeted(running.server.port);
  client.send("EHLO a\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\n");
  expect(await client.reply()).toStartWith("250-");
  expect(await client.reply()).toBe("250 2.1.0 Sender ok");
});

test("a throttle slows a message down to the given speed", async () => {
  await using running = await start([{ name: "thin", at: "data", throttle: "100kB" }]);
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("DATA");
  const begun = performance.now();
  client.send(`${"0123456789\r\n".repeat(2500)}.\r\n`);
  expect(await client.reply()).toStartWith("250");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(299);
  expect(running.mailbox.mails[0]?.raw.length).toBe(30_000);
});

test("a rule asks for a header of the message at its end", async () => {
  await using running = await start([
    { name: "tagged", at: "end", header: "X-Run: checkout-*", reply: { code: 550 } },
  ]);
  const { port } = running.server;
  const send = (run: string) =>
    nodemailer(port).sendMail({ ...mailTo("a@b.example"), headers: { "X-Run": run } });
  await expect(send("checkout-7")).rejects.toThrow("550 5.0.0");
  await send("other");
  expect(running.mailbox.mails.length).toBe(1);
});

test("greylisting refuses what is new, and accepts its retry", async () => {
  await using running = await start([{ name: "grey", at: "rcpt", greylist: true }]);
  const { port } = running.server;
  expect(await retried(port, "a@example.com")).toEqual(["450 4.2.0 Greylisted, try again"]);
  expect(await retried(port, "a@example.com")).toEqual([]);
  expect((await retried(port, "b@example.com")).length).toBe(1);
});

test("a stop does not wait for the end of a delay", async () => {
  await using running = await start([{ name: "slow", at: "connect", delay: "5m" }]);
  using client = await RawClient.connect(running.server.port);
  while (running.server.connections === 0) await nextTurn();
  await running.server.stop(5000);
  expect(await client.closed()).toContain("421 4.3.2 Shutting down");
});

test("every hit is in the log", async () => {
  const { logger, seen } = collectingLogger("info");
  const rules: FaultRule[] = [{ name: "busy", at: "ehlo", reply: { code: 450 } }];
  await using running = await startTestServer({ logger, faults: new Faults({ now, rules }) });
  await converse(running.server.port, ["EHLO a"]);
  const hit = { rule: "busy", at: "ehlo", code: 450, client: "127.0.0.1" };
  expect(await seen("fault on purpose")).toMatchObject(hit);
});

test.each([
  ["fault+450-4.2.2@example.com", "450 4.2.2 Refused on purpose, as the address asks"],
  ["fault+550@example.com", "550 5.0.0 Refused on purpose, as the address asks"],
  ["fault+250@example.com", "501 5.1.3 Not understood; write fault+450@ or fault+450-4.2.2@"],
  ["fault+450-5.1.1@example.com", "501 5.1.3 Not understood; write fault+450@ or fault+450-4.2.2@"],
  ["bounce+x@example.com", "501 5.1.3 Not understood; write bounce+5.1.1@"],
  ["bounce+5.1.1@example.com", "250 2.1.5 Recipient ok"],
  ["default@example.com", "250 2.1.5 Recipient ok"],
])("with fault addresses, %s is answered %s", async (address, reply) => {
  await using running = await start([], true);
  const commands = ["EHLO a", "MAIL FROM:<a@b.example>", `RCPT TO:<${address}>`];
  expect((await converse(running.server.port, commands)).at(-1)).toBe(reply);
});

test("made-up codes do not make series of metrics without end", () => {
  const counts = new SmtpCounts();
  for (let detail = 0; detail < 1000; detail++)
    counts.refused(refusalOnPurpose(550, `5.0.${detail}`, "x", false));
  expect(counts.refusals.size).toBe(101);
  expect(counts.refusals.get("other")).toBe(900);
});
