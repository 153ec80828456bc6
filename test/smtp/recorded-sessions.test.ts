// The sessions that the server records for each mail and refusal. The sessions that tests play are in transcripts.test.ts.
import { describe, expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { Faults, Transcripts } from "../../src/app/index.ts";
import type { FaultRule, Transcript } from "../../src/model/index.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { until } from "../support/until.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

async function start(rules: readonly FaultRule[] = [], options = {}) {
  const transcripts = new Transcripts();
  const faults = new Faults({ now: () => new Date(), rules });
  const running = await startTestServer({ ...options, faults, transcripts });
  const { port } = running.server;
  return { ...running, port, transcripts };
}

const shown = (transcript: Transcript | null) =>
  transcript?.lines.map(({ from, text }) => `${from === "client" ? "C" : "S"}: ${text}`) ?? [];

const commands = (transcript: Transcript | null) =>
  shown(transcript).filter((line) => line.startsWith("C: "));

test("a mail has the beginning of its session and its own commands, not those of the mail before", async () => {
  await using running = await start();
  using client = await RawClient.greeted(running.port);
  for (const to of ["one@d.example", "two@d.example"]) {
    if (to.startsWith("one")) await client.command("HELO client.example");
    await client.command("MAIL FROM:<a@b.example>");
    await client.command(`RCPT TO:<${to}>`);
    await client.command("DATA");
    await client.command("Subject: Hi\r\n\r\nHello\r\n.");
  }
  const id = running.mailbox.mails[1]?.id ?? "";
  const transcript = running.transcripts.ofMail(id);
  expect(shown(transcript)).toEqual([
    "S: 220 mailkeep.test ESMTP ready",
    "C: HELO client.example",
    "S: 250 mailkeep.test",
    "C: MAIL FROM:<a@b.example>",
    "S: 250 2.1.0 Sender ok",
    "C: RCPT TO:<two@d.example>",
    "S: 250 2.1.5 Recipient ok",
    "C: DATA",
    "S: 354 Send the message, end with <CRLF>.<CRLF>",
    "C: (22 bytes)",
    `S: 250 2.0.0 Stored as ${id}`,
  ]);
  expect(transcript).toMatchObject({ client: "127.0.0.1", tls: null });
  const times = transcript?.lines.map(({ at }) => Date.parse(at)) ?? [];
  expect(times).toEqual(times.toSorted());
  expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(60_000);
});

test("the transcript has the login between a refused MAIL and the next one", async () => {
  await using running = await start([], { auth: { required: true, verify: null } });
  using client = await RawClient.greeted(running.port);
  await client.command("EHLO a");
  await client.command("MAIL FROM:<a@b.example>");
  await client.command("AUTH PLAIN");
  await client.command(SECRETS[0] ?? "");
  await client.startMail();
  await client.command("BDAT 4 LAST\r\nHi");
  const [mail] = running.mailbox.mails;
  expect(commands(running.transcripts.ofMail(mail?.id ?? ""))).toEqual([
    "C: EHLO a",
    "C: AUTH PLAIN",
    "C: (hidden)",
    "C: EHLO client.example",
    "C: MAIL FROM:<a@b.example>",
    "C: RCPT TO:<c@d.example>",
    "C: BDAT 4 LAST",
    "C: (4 bytes)",
  ]);
  const [refused] = running.transcripts.rejections(1).rejections;
  expect(refused).toMatchObject({ stage: "mail", sender: "a@b.example" });
  expect(commands(running.transcripts.ofRejection(refused?.id ?? ""))).toEqual([
    "C: EHLO a",
    "C: MAIL FROM:<a@b.example>",
  ]);
});

test("the transcript names the version and the cipher of TLS", async () => {
  const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
  await using running = await start([], { tls, smtpsPort: 0 });
  const ports = [
    { port: running.port, requireTLS: true },
    { port: running.server.smtpsPort ?? 0, secure: true },
  ];
  for (const options of ports) {
    const transport = createTransport({ host: "127.0.0.1", tls: { rejectUnauthorized: false }, ...options });
    await transport.sendMail({ from: "a@b.example", to: "c@d.example", text: "Hi" });
  }
  for (const { id } of running.mailbox.mails) {
    expect(running.transcripts.ofMail(id)?.tls).toEqual({
      version: expect.stringMatching(/^TLSv1\.[23]$/),
      cipher: expect.stringMatching(/^(TLS|ECDHE)[_-]/),
    });
  }
});

test("TLS that starts after a mail belongs to the mails that follow, not to that mail", async () => {
  const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
  await using running = await start([], { tls });
  using client = await RawClient.greeted(running.port);
  const send = async () => {
    await client.command("EHLO a");
    await client.startMail();
    await client.command("BDAT 4 LAST\r\nHi");
  };
  await send();
  await client.command("STARTTLS");
  await client.startTls();
  await send();
  const [plain, encrypted] = running.mailbox.mails.map(({ id }) => running.transcripts.ofMail(id));
  const mail = ["C: MAIL FROM:<a@b.example>", "C: RCPT TO:<c@d.example>", "C: BDAT 4 LAST", "C: (4 bytes)"];
  expect(plain?.tls).toBeNull();
  expect(commands(plain ?? null)).toEqual(["C: EHLO a", "C: EHLO client.example", ...mail]);
  expect(encrypted?.tls).not.toBeNull();
  expect(commands(encrypted ?? null)).toEqual([
    "C: EHLO a",
    "C: EHLO client.example",
    "C: STARTTLS",
    "C: EHLO a",
    "C: EHLO client.example",
    ...mail,
  ]);
});

const SECRETS = ["AGFsaWNlAHNlY3JldA==", "YWxpY2U=", "c2VjcmV0"];
const LOGINS: [string[], string[]][] = [
  [[`AUTH PLAIN ${SECRETS[0]}`], ["C: AUTH PLAIN (hidden)"]],
  [
    ["AUTH PLAIN", SECRETS[0] ?? ""],
    ["C: AUTH PLAIN", "C: (hidden)"],
  ],
  [
    ["auth login", ...SECRETS.slice(1)],
    ["C: auth login", "C: (hidden)", "C: (hidden)"],
  ],
  [
    [`AUTH LOGIN ${SECRETS[1]}`, SECRETS[2] ?? ""],
    ["C: AUTH LOGIN (hidden)", "C: (hidden)"],
  ],
  [[`AUTH ${SECRETS[0]}`], ["C: AUTH (hidden)"]],
  [[` AUTH PLAIN ${SECRETS[0]}`], ["C: (hidden)"]],
  [[`AUHT PLAIN ${SECRETS[0]}`], ["C: AUHT (hidden)"]],
  [[`PASS ${SECRETS[0]}`], ["C: PASS (hidden)"]],
  [
    ["AUTH GSSAPI", SECRETS[2] ?? ""],
    ["C: AUTH (hidden)", "C: (hidden)"],
  ],
];
test.each(LOGINS)("the password of %j is hidden", async (lines, expected) => {
  await using running = await start();
  using client = await RawClient.greeted(running.port);
  await client.command("EHLO a");
  for (const line of lines) await client.command(line);
  await client.command("NOPE");
  const [rejection] = running.transcripts.rejections(1).rejections;
  const transcript = running.transcripts.ofRejection(rejection?.id ?? "");
  expect(commands(transcript).slice(1, 1 + lines.length)).toEqual(expected);
  for (const secret of SECRETS) expect(JSON.stringify(transcript)).not.toContain(secret);
});

test("the transcript of a very long session is cut, and says so", async () => {
  await using running = await start([], { limits: { maxRecipients: 1000 } });
  using client = await RawClient.greeted(running.port);
  await client.command("EHLO a");
  await client.command("MAIL FROM:<a@b.example>");
  for (let index = 0; index < 600; index++) await client.command(`RCPT TO:<user${index}@d.example>`);
  await client.command("DATA");
  await client.command("Hi\r\n.");
  const lines = shown(running.transcripts.ofMail(running.mailbox.mails[0]?.id ?? ""));
  expect(lines.at(-1)).toBe("S: (further lines are left out)");
  expect(lines.length).toBeLessThan(520);
});

test("the oldest of more than a thousand mails is forgotten", async () => {
  await using running = await start();
  using client = await RawClient.greeted(running.port);
  await client.command("EHLO a");
  const mail = "MAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nBDAT 2 LAST\r\nHi";
  for (let index = 0; index < 1001; index++) client.send(mail);
  await running.mailbox.received(1001);
  const kept = running.mailbox.mails.map(({ id }) => running.transcripts.ofMail(id) !== null);
  expect(kept.slice(0, 2)).toEqual([false, true]);
  expect(kept.slice(1).every(Boolean)).toBe(true);
});

test("a refused recipient is listed with sender, reply and session, and a hit names its rule", async () => {
  const reply = { code: 450, enhanced: "4.2.2", text: "Full" };
  await using running = await start([{ name: "full", at: "rcpt", to: "no@*", reply }]);
  using client = await RawClient.greeted(running.port);
  await client.startMail();
  await client.command("RCPT TO:<no@d.example>");
  const { rejections, total } = running.transcripts.rejections(10);
  expect(rejections).toEqual([
    {
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      at: expect.any(String),
      stage: "rcpt",
      reply: "450 4.2.2 Full",
      sender: "a@b.example",
      recipients: ["no@d.example"],
      client: "127.0.0.1",
    },
  ]);
  expect(total).toBe(1);
  expect(shown(running.transcripts.ofRejection(rejections[0]?.id ?? "")).slice(-3)).toEqual([
    "C: RCPT TO:<no@d.example>",
    "S: (fault full)",
    "S: 450 4.2.2 Full",
  ]);
});

test.each([
  ["RCPT TO:<c@d.example", ["c@d.example"]],
  ["RCPT TO:c d@e.example", ["c"]],
  ["RCPT TO:<>", []],
  ["RCPT nobody", []],
])("the refused command %s names %j as recipients", async (line, recipients) => {
  await using running = await start();
  using client = await RawClient.greeted(running.port);
  await client.startMail();
  await client.command(line);
  expect(running.transcripts.rejections(9).rejections).toMatchObject([{ stage: "rcpt", recipients }]);
});

test("hundreds of refused commands full of brackets do not take seconds", async () => {
  await using running = await start();
  const begun = cpuMs();
  for (let number = 0; number < 8; number++) {
    using client = await RawClient.greeted(running.port);
    await client.startMail();
    for (let tries = 0; tries < 40; tries++)
      expect(await client.command(`RCPT TO:${"<".repeat(2000)}`)).toStartWith("501");
  }
  expect(cpuMs() - begun).toBeLessThan(1000);
});

test("a delayed reply has the time at which it was sent", async () => {
  await using running = await start([{ name: "slow", at: "mail", delay: "100ms", reply: { code: 450 } }]);
  using client = await RawClient.greeted(running.port);
  await client.command("EHLO a");
  await client.command("MAIL FROM:<a@b.example>");
  const [rejection] = running.transcripts.rejections(1).rejections;
  const lines = running.transcripts.ofRejection(rejection?.id ?? "")?.lines.slice(-2) ?? [];
  const [hit = 0, replied = 0] = lines.map(({ at }) => Date.parse(at));
  expect(lines.map(({ text }) => text)).toEqual(["(fault slow)", "450 4.0.0 Refused on purpose by slow"]);
  expect(replied - hit).toBeGreaterThanOrEqual(100);
});

const REFUSALS: [string, string[], { stage: string; reply: RegExp }][] = [
  ["a message over the limit", ["DATA", `${"x".repeat(2000)}\r\n.`], { stage: "end", reply: /^552 5\.3\.4/ }],
  ["a wrong address", ["RCPT TO:<>"], { stage: "rcpt", reply: /^501 5\.1\.3/ }],
  ["an unknown command", ["NOPE"], { stage: "command", reply: /^500 5\.5\.1/ }],
  ["a mail inside a mail", ["MAIL FROM:<x@y.example>"], { stage: "mail", reply: /^503 5\.5\.1/ }],
  ["a second login", ["AUTH PLAIN AGEAYg=="], { stage: "auth", reply: /^503 5\.5\.1/ }],
];
test.each(REFUSALS)("%s is among the rejections", async (_, lines, { stage, reply }) => {
  await using running = await start([], { limits: { maxMessageBytes: 1000 } });
  using client = await RawClient.greeted(running.port);
  await client.startMail();
  for (const line of lines) await client.command(line);
  const [rejection] = running.transcripts.rejections(10).rejections;
  expect(rejection).toMatchObject({ stage, reply: expect.stringMatching(reply) });
});

test("a dropped connection and a connection above the limit are among the rejections, newest first", async () => {
  await using running = await start([{ name: "gone", at: "data", drop: true }], {
    limits: { maxConnections: 1 },
  });
  using client = await RawClient.greeted(running.port);
  await client.startMail();
  using second = await RawClient.connect(running.port);
  expect(await second.reply()).toBe("421 4.7.0 Too many connections");
  expect(await client.command("DATA")).toBe("");
  expect(running.transcripts.rejections(10).rejections).toMatchObject([
    { stage: "data", reply: "(connection dropped)", sender: "a@b.example", recipients: ["c@d.example"] },
    { stage: "connect", reply: "421 4.7.0 Too many connections", sender: "", recipients: [] },
  ]);
  expect(running.transcripts.rejections(1)).toMatchObject({ rejections: [{ stage: "data" }], total: 2 });
  expect(Object.fromEntries(running.server.counts.refusals)).toMatchObject({ dropped: 1 });
});

test("the transcript of a rejection does not include the previous mail", async () => {
  await using running = await start();
  using client = await RawClient.greeted(running.port);
  await client.startMail();
  await client.command("DATA");
  await client.command("Subject: Hi\r\n\r\nHello\r\n.");
  await client.command("NOPE");
  await client.startMail();
  await client.command("RSET");
  await client.command("DATA");
  expect(running.transcripts.rejections(10).rejections).toMatchObject([
    { stage: "data", sender: "", recipients: [] },
    { stage: "command", sender: "", recipients: [] },
  ]);
});

test("at most 1,000 rejections are kept", async () => {
  await using running = await start([], { limits: { maxFruitlessCommands: 5000 } });
  using client = await RawClient.greeted(running.port);
  for (let index = 0; index < 1200; index++) client.send(`NO${index}\r\n`);
  client.send("QUIT\r\n");
  await client.closed();
  const { rejections, total } = running.transcripts.rejections(1000);
  expect([rejections.length, total]).toEqual([1000, 1000]);
});

const LEFT: [string, readonly string[], string, object][] = [
  [
    "after MAIL",
    ["MAIL FROM:<a@b.example>"],
    "(client dropped the connection)",
    { stage: "mail", recipients: [] },
  ],
  [
    "after RCPT",
    ["MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "RCPT TO:<e@d.example>"],
    "(client dropped the connection)",
    { stage: "rcpt", recipients: ["c@d.example", "e@d.example"] },
  ],
  [
    "within the message",
    ["MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA", "Subject: Hi"],
    "(client dropped the connection after 13 bytes of the message)",
    { stage: "data", recipients: ["c@d.example"] },
  ],
];
describe.each(LEFT)("a client that leaves %s", (_, lines, reply, expected) => {
  test.each(["closes", "resets"] as const)("and %s the connection is kept like a refusal", async (how) => {
    await using running = await start();
    using client = await RawClient.greeted(running.port);
    await client.command("EHLO a");
    for (const line of lines) {
      client.send(`${line}\r\n`);
      if (line !== "Subject: Hi") await client.reply();
    }
    if (how === "closes") client.endInput();
    else client.reset();
    await until(() => running.transcripts.rejections(9).total > 0, "the rejection");
    const { rejections } = running.transcripts.rejections(9);
    expect(rejections).toMatchObject([{ reply, sender: "a@b.example", ...expected }]);
    expect(shown(running.transcripts.ofRejection(rejections[0]?.id ?? "")).at(-1)).toBe(`C: ${reply}`);
  });
});

test("a client that leaves outside a mail, with QUIT, or because it was refused is not another rejection", async () => {
  await using running = await start();
  for (const lines of [[], ["MAIL FROM:<a@b.example>", "QUIT"], ["MAIL FROM:<a@b.example>", "RCPT TO:<>"]]) {
    using client = await RawClient.greeted(running.port);
    await client.command("EHLO a");
    for (const line of lines) await client.command(line);
    client.endInput();
    await client.closed();
  }
  await until(() => running.server.connections === 0, "the clients to be gone");
  expect(running.transcripts.rejections(9).rejections).toMatchObject([{ stage: "rcpt" }]);
});
