import { expect, test } from "bun:test";
import { Connections } from "../../src/smtp/connections.ts";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { until } from "../support/until.ts";
import { ManualClock } from "./manual-clock.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });

test.each([
  ["in all", { maxConnections: 2 }],
  ["per address", { maxConnectionsPerAddress: 2 }],
])("one connection more than the limit %s is turned away", async (_, limits) => {
  await using running = await startTestServer({ limits, tls, smtpsPort: 0 });
  const { server } = running;
  using first = await RawClient.connect(server.port);
  using second = await RawClient.connect(server.port);
  expect(await first.reply()).toStartWith("220");
  expect(await second.reply()).toStartWith("220");
  using third = await RawClient.connect(server.port);
  expect(await third.reply()).toBe("421 4.7.0 Too many connections");
  expect(await third.closed()).toBe("");
  using fourth = await RawClient.connect(server.smtpsPort ?? 0, { tls: true });
  expect(await fourth.reply()).toBe("421 4.7.0 Too many connections");
  expect(server.connections).toBe(2);

  await first.command("QUIT");
  await until(() => server.connections === 1, "the first connection to be forgotten");
  using fifth = await RawClient.connect(server.port);
  expect(await fifth.reply()).toStartWith("220");
});

test("a client that takes all connections does not keep another address out", () => {
  const connections = new Connections(20, 20);
  const connect = (address: string) => {
    const admitted = connections.mayAdmit(address);
    if (admitted) connections.add({ address, admitted });
    return admitted;
  };
  const greedy = Array.from({ length: 21 }, () => connect("192.0.2.1"));
  expect(greedy.filter(Boolean)).toHaveLength(20);
  expect(["192.0.2.2", "192.0.2.2", "192.0.2.3", "192.0.2.4"].map(connect)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("a connection that turned to TLS is counted once and forgotten once", async () => {
  await using running = await startTestServer({ tls });
  {
    using client = await RawClient.greeted(running.server.port);
    await client.command("EHLO client.example");
    await client.command("STARTTLS");
    await client.startTls();
    expect(await client.command("NOOP")).toStartWith("250");
    expect(running.server.connections).toBe(1);
  }
  await until(() => running.server.connections === 0, "the connection to be forgotten");
});

const IDLE = "421 4.4.2 Idle for too long";

test.each([
  ["says nothing", ""],
  ["stops in the middle of a command", "MAIL FR"],
  ["stops between MAIL and RCPT", "EHLO x\r\nMAIL FROM:<a@b.example>\r\n"],
  ["stops in the middle of AUTH", "EHLO x\r\nAUTH LOGIN\r\n"],
  [
    "stops in the middle of DATA",
    "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\nSubj",
  ],
  [
    "stops in the middle of a chunk",
    "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nBDAT 9\r\nabc",
  ],
])("a client that %s is cut off when the idle time is over", async (_, start) => {
  const clock = new ManualClock();
  await using running = await startTestServer({
    clock,
    limits: { idleTimeoutMs: 1000, messageTimeoutMs: 5000 },
  });
  using client = await RawClient.greeted(running.server.port);
  using marker = await RawClient.greeted(running.server.port);
  clock.advance(500);
  client.send(start);
  await marker.command("NOOP");
  await marker.command("NOOP");
  clock.advance(start.includes("\r\n") ? 999 : 499);
  expect(await marker.command("NOOP")).toStartWith("250");
  clock.advance(1);
  expect(await client.closed()).toEndWith(`${IDLE}\r\n`);
  expect(running.mailbox.mails).toEqual([]);
});

test("the end of a message is activity", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({ clock, limits: { idleTimeoutMs: 1000 } });
  using client = await RawClient.greeted(running.server.port);
  for (const line of ["EHLO x", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"]) await client.command(line);
  clock.advance(250);
  const appended = new Promise<void>((resolve) => {
    running.mailbox.onAppend = () => resolve();
  });
  client.send("hello\r\nworld");
  await appended;
  clock.advance(900);
  expect(await client.command("\r\n.")).toStartWith("250");
  clock.advance(250);
  expect(await client.command("NOOP")).toStartWith("250");
});

test("bytes that never become a command do not count as activity", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({ clock, limits: { idleTimeoutMs: 1000 } });
  using client = await RawClient.greeted(running.server.port);
  using marker = await RawClient.greeted(running.server.port);
  for (let second = 0; second < 4; second++) {
    client.send("N");
    await marker.command("NOOP");
    clock.advance(250);
  }
  expect(await client.closed()).toBe(`${IDLE}\r\n`);
});

test("every client above the limit is told that there are too many, even if many come at once", async () => {
  await using running = await startTestServer({ limits: { maxConnections: 1 } });
  using _first = await RawClient.greeted(running.server.port);
  const told = await Promise.all(
    Array.from({ length: 100 }, async () => {
      using client = await RawClient.connect(running.server.port);
      return await client.reply();
    }),
  );
  expect(new Set(told)).toEqual(new Set(["421 4.7.0 Too many connections"]));
});

test("a client that resets its connection in the middle of a large mail loses its place before the idle time", async () => {
  await using running = await startTestServer();
  const { port } = running.server;
  // Runs in another process, because the reset must come while the server is working.
  const script = `
    import { once } from "node:events";
    import { connect } from "node:net";
    const mail = "EHLO x\\r\\nMAIL FROM:<a@b>\\r\\nRCPT TO:<c@d>\\r\\nDATA\\r\\n" + "y".repeat(270_000);
    for (let client = 0; client < 200; client++) {
      const socket = connect({ port: ${port}, host: "127.0.0.1" });
      await once(socket, "data");
      await new Promise((resolve) => socket.write(mail, resolve));
      socket.resetAndDestroy();
    }`;
  const clients = Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" });
  expect(await clients.exited).toBe(0);
  await until(() => running.server.connections === 0, "the last connection to be forgotten");
});

test("bytes of a message are activity, until the time for one message is over", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({
    clock,
    limits: { idleTimeoutMs: 1000, messageTimeoutMs: 3000 },
  });
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("DATA");
  let chunks = 0;
  let arrived = () => {};
  running.mailbox.onAppend = () => {
    chunks++;
    arrived();
  };
  for (let step = 0; step < 5; step++) {
    const next = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    client.send("drip");
    await next;
    clock.advance(500);
  }
  client.send("drip");
  await until(() => chunks === 6, "the last bytes");
  clock.advance(500);
  expect(await client.closed()).toBe("421 4.4.2 The message took too long\r\n");
  expect(running.mailbox.aborted).toBe(1);
});

test("each message has its own time", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({
    clock,
    limits: { idleTimeoutMs: 9000, messageTimeoutMs: 1000 },
  });
  using client = await RawClient.greeted(running.server.port);
  for (let mail = 0; mail < 5; mail++) {
    await client.startMail();
    await client.command("DATA");
    clock.advance(400);
    expect(await client.command("hi\r\n.")).toStartWith("250");
    clock.advance(400);
  }
});

test("a client that waits for a slow store is not idle", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({ clock, limits: { idleTimeoutMs: 1000 } });
  const commits = running.mailbox.holdCommits();
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("DATA");
  client.send("hi\r\n.\r\n");
  await commits.asked;
  clock.advance(5000);
  clock.advance(5000);
  commits.release();
  expect(await client.reply()).toStartWith("250");
});

test("a client is not idle or too slow while a slow store takes its mail", async () => {
  const clock = new ManualClock();
  const limits = { idleTimeoutMs: 1000, messageTimeoutMs: 1000 };
  await using running = await startTestServer({ clock, limits });
  const stalled = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  running.mailbox.onAppend = () => {
    stalled.resolve();
    return taken.promise;
  };
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("DATA");
  client.send("half of ");
  await stalled.promise;
  clock.advance(5000);
  clock.advance(5000);
  taken.resolve();
  expect(await client.command("it\r\n.")).toStartWith("250");
});

test.each([
  ["the idle time is over", 1000, 1000],
  ["ten seconds are over", 60_000, 10_000],
])("a handshake that never comes is cut off when %s", async (_, idleTimeoutMs, patienceMs) => {
  const clock = new ManualClock();
  await using running = await startTestServer({ clock, tls, smtpsPort: 0, limits: { idleTimeoutMs } });
  using explicit = await RawClient.greeted(running.server.port);
  await explicit.command("EHLO client.example");
  await explicit.command("STARTTLS");
  using implicit = await RawClient.connect(running.server.smtpsPort ?? 0);
  await until(() => running.server.connections === 2, "both connections");
  clock.advance(patienceMs - 1);
  expect(running.server.connections).toBe(2);
  clock.advance(1);
  expect(await explicit.closed()).toBe("");
  expect(await implicit.closed()).toBe("");
});

test("a client that does not close after its 421 is closed", async () => {
  const clock = new ManualClock();
  await using running = await startTestServer({ clock, limits: { idleTimeoutMs: 1000 } });
  using client = await RawClient.greeted(running.server.port);
  clock.advance(1000);
  await client.closed();
  expect(running.server.connections).toBe(1);
  clock.advance(2000);
  await until(() => running.server.connections === 0, "the lingering connection to be forgotten");
});
