import { describe, expect, test } from "bun:test";
import { Faults } from "../../src/app/index.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { nextTurn } from "../../src/lib/runtime.ts";
import type { FaultRule } from "../../src/model/index.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { until } from "../support/until.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });

describe("commit", () => {
  test("250 comes only after the store has the mail, and pipelined commands wait for it", async () => {
    await using running = await startTestServer();
    const commits = running.mailbox.holdCommits();
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    await client.command("DATA");
    client.send("hi\r\n.\r\nNOOP\r\nVRFY x\r\n");
    await commits.asked;
    expect(running.mailbox.mails).toEqual([]);
    commits.release();
    expect(await client.reply()).toBe(`250 2.0.0 Stored as ${running.mailbox.mails[0]?.id}`);
    expect(await client.reply()).toBe("250 2.0.0 Ok");
    expect(await client.reply()).toStartWith("252");
  });

  const failure = (code: string) => Object.assign(new Error("no"), { code });

  test.each([
    ["the store fails", failure("io_error"), "451 4.3.0"],
    ["the disk is full", failure("disk_full"), "452 4.3.1"],
  ])("when %s the client gets an error, and the next mail is tried again", async (_, error, reply) => {
    await using running = await startTestServer();
    const { mailbox } = running;
    using client = await RawClient.greeted(running.server.port);
    const send = async () => {
      await client.startMail();
      await client.command("DATA");
      return client.command("hi\r\n.");
    };
    mailbox.beforeCommit = () => {
      throw error;
    };
    expect(await send()).toStartWith(reply);
    mailbox.beforeCommit = () => {};
    mailbox.onAppend = () => {
      throw error;
    };
    expect(await send()).toStartWith(reply);
    mailbox.onAppend = () => Promise.reject(error);
    expect(await send()).toStartWith(reply);
    mailbox.onAppend = () => {};
    expect(await send()).toStartWith("250 2.0.0");
    expect(mailbox.mails.length).toBe(1);
  });

  test("a mailbox that cannot even begin a message is a failure like any other", async () => {
    await using running = await startTestServer();
    const { mailbox } = running;
    const receive = mailbox.receive.bind(mailbox);
    mailbox.receive = () => {
      throw failure("closed");
    };
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    await client.command("DATA");
    expect(await client.command("hi\r\n.")).toStartWith("451 4.3.0");
    mailbox.receive = receive;
    await client.startMail();
    await client.command("DATA");
    expect(await client.command("hi\r\n.")).toStartWith("250");
  });

  test.each([
    ["in the envelope", "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\n", 0],
    ["in DATA", "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\nhi\r\n.\r", 1],
    ["between chunks", "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nBDAT 1\r\na", 1],
  ])("a connection lost %s leaves no mail and no connection", async (_, start, aborted) => {
    await using running = await startTestServer();
    {
      using client = await RawClient.greeted(running.server.port);
      await client.command(start);
    }
    await until(() => running.server.connections === 0, "the connection to be forgotten");
    expect(running.mailbox.aborted).toBe(aborted);
    expect(running.mailbox.mails).toEqual([]);
  });
});

describe("half-closed connections", () => {
  test("a client that closes its side right after the last byte gets all its replies", async () => {
    await using running = await startTestServer();
    running.mailbox.beforeCommit = () => Bun.sleep(20);
    using client = await RawClient.greeted(running.server.port);
    client.send("HELO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\nhi\r\n.\r\nNOOP\r\n");
    client.endInput();
    const replies = (await client.closed()).split("\r\n").map((line) => line.slice(0, 3));
    expect(replies).toEqual(["250", "250", "250", "354", "250", "250", ""]);
    expect(running.mailbox.mails.length).toBe(1);
  });

  test("commands after a login are answered, too", async () => {
    await using running = await startTestServer();
    using client = await RawClient.greeted(running.server.port);
    const mail = "MAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\nhi\r\n.\r\n";
    client.send(`EHLO x\r\n${mail}${mail}AUTH PLAIN AHUAcA==\r\n${mail}NOOP\r\n`);
    client.endInput();
    const replies = (await client.closed()).split("\r\n").map((line) => line.slice(0, 4));
    const mailReplies = ["250 ", "250 ", "354 ", "250 "];
    const afterEhlo = replies.slice(replies.indexOf("250 ") + 1);
    expect(afterEhlo).toEqual([...mailReplies, ...mailReplies, "235 ", ...mailReplies, "250 ", ""]);
    expect(running.mailbox.mails.length).toBe(3);
  });

  test("a message cut short by closing is not kept", async () => {
    await using running = await startTestServer();
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    await client.command("DATA");
    client.send("half a mess");
    client.endInput();
    expect(await client.closed()).toBe("");
    expect(running.mailbox.mails).toEqual([]);
    expect(running.mailbox.aborted).toBe(1);
  });
});

describe("backpressure", () => {
  test.each(["plain", "TLS"])(
    "a client that sends faster than the store takes is paused (%s)",
    async (kind) => {
      const size = 40_000_000;
      await using running = await startTestServer({ tls, smtpsPort: 0, limits: { maxMessageBytes: size } });
      const gate = Promise.withResolvers<void>();
      let taken = 0;
      running.mailbox.onAppend = (chunk) => {
        taken += chunk.length;
        return gate.promise;
      };
      const { port, smtpsPort = 0 } = running.server;
      using client = await RawClient.greeted(kind === "TLS" ? smtpsPort : port, { tls: kind === "TLS" });
      await client.startMail();
      await client.command("DATA");
      let allSent = false;
      const sent = client.sendAll(Buffer.alloc(size - 2, "x")).then(() => {
        allSent = true;
      });
      await until(() => taken > 0, "the first bytes");
      await Bun.sleep(100);
      expect(taken).toBeLessThan(2_000_000);
      expect(allSent).toBe(false);
      gate.resolve();
      await sent;
      expect(await client.command("\r\n.")).toStartWith("250");
      expect(running.mailbox.mails[0]?.raw.length).toBe(size);
    },
  );

  test("a client that does not read its replies is paused, and served when it does", async () => {
    const count = 100_000;
    await using running = await startTestServer({ limits: { maxFruitlessCommands: count + 1 } });
    using client = await RawClient.greeted(running.server.port);
    client.pause();
    let allSent = false;
    const line = `EHLO ${"x".repeat(200)}\r\n`;
    const sent = client.sendAll(Buffer.from(line.repeat(count))).then(() => {
      allSent = true;
    });
    await Bun.sleep(200);
    expect(allSent).toBe(false);
    using other = await RawClient.greeted(running.server.port);
    expect(await other.command("NOOP")).toStartWith("250");
    client.resume();
    for (let reply = 0; reply < 10; reply++) expect(await client.reply()).toStartWith("250-");
    await sent;
  });

  const rules: FaultRule[] = [{ name: "no", at: "rcpt", to: "x@y.example", reply: { code: 450 } }];
  test.each([
    ["that are refused", 1, []],
    ["for which fault rules are tried", 3001, rules],
  ])("thousands of recipients %s, in one piece, hold up nobody else", async (_, maxRecipients, rules) => {
    const faults = new Faults({ now: () => new Date(), rules });
    const limits = { maxRecipients, maxFruitlessCommands: 3000 };
    await using running = await startTestServer({ faults, limits });
    const { commands } = running.server.counts;
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    client.send(`${"RCPT TO:<c@d.example>\r\n".repeat(3000)}NOOP\r\n`);
    let most = 0;
    while (commands.NOOP === 0) {
      const before = commands.RCPT;
      await nextTurn();
      most = Math.max(most, commands.RCPT - before);
    }
    expect(most).toBeLessThan(100);
  });

  test("a line without end does not grow memory", async () => {
    await using running = await startTestServer();
    using client = await RawClient.greeted(running.server.port);
    const inUse = () => {
      Bun.gc(true);
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const block = Buffer.alloc(1_000_000, "x");
    const before = inUse();
    for (let sent = 0; sent < 64; sent++) await client.sendAll(block);
    expect(inUse() - before).toBeLessThan(8_000_000);
    expect(await client.command("")).toBe("500 5.5.2 Line too long");
    expect(await client.command("NOOP")).toBe("250 2.0.0 Ok");
  });

  test.each(["plain", "TLS"])(
    "replies that the system takes in parts arrive whole, each once (%s)",
    async (kind) => {
      // A reply larger than the system accepts at once.
      const serverName = "x".repeat(8_000_000);
      await using running = await startTestServer({ tls, smtpsPort: 0, serverName });
      const { port, smtpsPort = 0 } = running.server;
      using client = await RawClient.connect(kind === "TLS" ? smtpsPort : port, { tls: kind === "TLS" });
      client.send("HELO client.example\r\nNOOP\r\nQUIT\r\n");
      const replies = `220 ${serverName} ESMTP ready\r\n250 ${serverName}\r\n250 2.0.0 Ok\r\n221 2.0.0 Bye\r\n`;
      const received = await client.closed();
      expect(received.length).toBe(replies.length);
      expect(received === replies).toBe(true);
    },
  );
});

describe("stopping", () => {
  test("idle clients get 421, a current mail is finished, new clients are refused", async () => {
    const running = await startTestServer();
    using idle = await RawClient.greeted(running.server.port);
    using busy = await RawClient.greeted(running.server.port);
    await busy.startMail();
    await busy.command("DATA");
    busy.send("half of ");
    // Long enough that the grace period cannot end during the test.
    const stopped = running.server.stop(60_000);
    expect(await idle.reply()).toBe("421 4.3.2 Shutting down");
    await idle.closed();
    expect(RawClient.connect(running.server.port)).rejects.toThrow();
    expect(await busy.command("it\r\n.")).toStartWith("250 2.0.0 Stored");
    expect(await busy.reply()).toBe("421 4.3.2 Shutting down");
    idle[Symbol.dispose]();
    busy[Symbol.dispose]();
    await stopped;
    expect(running.mailbox.mails[0]?.raw.toString()).toBe("half of it\r\n");
    expect(running.server.connections).toBe(0);
  });

  test("a mail that does not finish in time is dropped", async () => {
    const running = await startTestServer();
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    await client.command("DATA");
    client.send("half");
    const stopped = running.server.stop(50);
    expect(await client.reply()).toBe("421 4.3.2 Shutting down");
    await stopped;
    await client.closed();
    expect(running.server.connections).toBe(0);
    expect(running.mailbox.aborted).toBe(1);
  });
});

test("large mails that arrive at once, in too many pieces for one turn, are kept whole", async () => {
  const size = 5_000_000;
  await using running = await startTestServer({ limits: { maxMessageBytes: size } });
  const clients = await Promise.all(Array.from({ length: 5 }, () => RawClient.greeted(running.server.port)));
  const answers = clients.map(async (client) => {
    await client.startMail();
    await client.command("DATA");
    const reply = await client.command(`${"x".repeat(size - 2)}\r\n.`);
    client[Symbol.dispose]();
    return reply;
  });
  for (const reply of await Promise.all(answers)) expect(reply).toStartWith("250");
  expect(running.mailbox.mails.map(({ raw }) => raw.length)).toEqual(Array(5).fill(size));
});

test("four hundred clients at once each deliver a mail and get their own id", async () => {
  const limits = { maxConnections: 400, maxConnectionsPerAddress: 400 };
  await using running = await startTestServer({ limits });
  const { mailbox, server } = running;
  const clients = await Promise.all(Array.from({ length: 400 }, () => RawClient.greeted(server.port)));
  expect(server.connections).toBe(400);
  const answers = clients.map(async (client, index) => {
    await client.startMail();
    await client.command("DATA");
    const reply = await client.command(`client ${index}\r\n.`);
    client[Symbol.dispose]();
    const mail = mailbox.mails.find(({ id }) => reply === `250 2.0.0 Stored as ${id}`);
    return mail?.raw.toString() === `client ${index}\r\n`;
  });
  expect((await Promise.all(answers)).every((own) => own)).toBe(true);
  await until(() => server.connections === 0, "all connections to be forgotten");
});

test("a bug ends one session with 421, and no other", async () => {
  await using running = await startTestServer();
  const receive = running.mailbox.receive.bind(running.mailbox);
  running.mailbox.receive = (envelope) => ({
    ...receive(envelope),
    abort: () => {
      throw new Error("a bug");
    },
  });
  using other = await RawClient.greeted(running.server.port);
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("BDAT 3\r\na");
  expect(await client.command("RSET")).toBe("421 4.3.0 Internal failure");
  await client.closed();
  expect(await other.command("NOOP")).toBe("250 2.0.0 Ok");
});

describe("log", () => {
  test("each mail is one line; credentials never appear", async () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: "debug",
      format: "json",
      write: (line) => lines.push(line),
      now: () => new Date(0),
    });
    const refuse = { supportsCramMd5: true, verify: async () => false };
    await using running = await startTestServer({ logger, auth: { required: false, verify: refuse } });
    using client = await RawClient.greeted(running.server.port);
    await client.startMail();
    await client.command("DATA");
    await client.command("hi\r\n.");
    expect(await client.command("AUTH PLAIN AHVzZXIAaHVudGVyMg==")).toStartWith("535 5.7.8");
    const stored = lines.map((line) => JSON.parse(line)).filter((line) => line.event === "mail stored");
    expect(stored).toEqual([
      {
        time: "1970-01-01T00:00:00.000Z",
        level: "info",
        event: "mail stored",
        id: running.mailbox.mails[0]?.id,
        sender: "a@b.example",
        to: "c@d.example",
        recipients: 1,
        subject: "recorded",
        size: 4,
        client: "127.0.0.1",
      },
    ]);
    expect(lines.join("\n")).toContain("login refused");
    expect(lines.join("\n")).not.toMatch(/hunter2|AHVzZXIA/);
  });
});
