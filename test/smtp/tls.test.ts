import { describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { connect } from "node:net";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { until } from "../support/until.ts";
import { ManualClock } from "./manual-clock.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

const tls = createSelfSignedCertificate({ hosts: ["mail.example", "192.0.2.1"], now: new Date() });

test("the self-signed certificate is valid for localhost and the given hosts", () => {
  const certificate = new X509Certificate(tls.cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkIssued(certificate)).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkHost("mail.example")).toBe("mail.example");
  for (const address of ["127.0.0.1", "::1", "192.0.2.1"]) {
    expect(certificate.checkIP(address)).toBe(address);
  }
  expect(certificate.checkHost("other.example")).toBeUndefined();
});

test("a mail goes through STARTTLS", async () => {
  await using running = await startTestServer({ tls });
  using client = await RawClient.greeted(running.server.port);
  expect(await client.command("EHLO client.example")).toContain("250-STARTTLS");
  expect(await client.command("STARTTLS")).toBe("220 2.0.0 Ready to start TLS");
  await client.startTls();
  expect(await client.command("MAIL FROM:<a@b.example>")).toStartWith("503 5.5.1");
  await client.startMail();
  await client.command("DATA");
  expect(await client.command(`${"x".repeat(300_000)}\r\n.`)).toStartWith("250 2.0.0 Stored as");
  expect(running.mailbox.mails[0]?.raw.length).toBe(300_002);
  expect(await client.command("QUIT")).toStartWith("221");
  await client.closed();
});

test("after STARTTLS it is not offered again", async () => {
  await using running = await startTestServer({ tls });
  using client = await RawClient.greeted(running.server.port);
  await client.command("EHLO client.example");
  await client.command("STARTTLS");
  await client.startTls();
  expect(await client.command("EHLO client.example")).not.toContain("STARTTLS");
  expect(await client.command("STARTTLS")).toBe("503 5.5.1 TLS is already active");
});

test("commands injected after STARTTLS are never carried out", async () => {
  await using running = await startTestServer({ tls });
  using client = await RawClient.greeted(running.server.port);
  await client.command("EHLO client.example");
  expect(await client.command("STARTTLS\r\nRSET\r\nNOOP")).toBe("220 2.0.0 Ready to start TLS");
  await client.startTls();
  expect(await client.command("VRFY x")).toStartWith("252");
  expect(await client.command("MAIL FROM:<a@b.example>")).toStartWith("503");
});

test("STARTTLS works after so many pipelined commands that the socket was paused", async () => {
  await using running = await startTestServer({ tls, limits: { maxFruitlessCommands: 50_000 } });
  const gate = Promise.withResolvers<void>();
  running.mailbox.beforeCommit = () => gate.promise;
  using client = await RawClient.greeted(running.server.port);
  await client.startMail();
  await client.command("DATA");
  await client.sendAll(Buffer.from(`hi\r\n.\r\n${"NOOP\r\n".repeat(20_000)}STARTTLS\r\n`));
  gate.resolve();
  let reply = await client.reply();
  while (reply.startsWith("250")) reply = await client.reply();
  expect(reply).toBe("220 2.0.0 Ready to start TLS");
  await client.startTls();
  expect(await client.command("NOOP")).toBe("250 2.0.0 Ok");
});

test("plain, STARTTLS and implicit TLS are served side by side", async () => {
  await using running = await startTestServer({ tls, smtpsPort: 0 });
  using secure = await RawClient.greeted(running.server.smtpsPort ?? 0, { tls: true });
  using plain = await RawClient.greeted(running.server.port);
  for (const client of [secure, plain]) {
    await client.startMail();
    await client.command("DATA");
    expect(await client.command("hi\r\n.")).toStartWith("250");
  }
  expect(await secure.command("EHLO client.example")).not.toContain("STARTTLS");
  expect(await secure.command("QUIT")).toStartWith("221");
  await secure.closed();
  expect(running.mailbox.mails.length).toBe(2);
});

test("mail is refused before TLS if TLS is required", async () => {
  await using running = await startTestServer({ tls, tlsRequired: true, smtpsPort: 0 });
  using plain = await RawClient.greeted(running.server.port);
  await plain.command("EHLO client.example");
  expect(await plain.command("MAIL FROM:<a@b.example>")).toBe("530 5.7.0 STARTTLS first");
  using secure = await RawClient.greeted(running.server.smtpsPort ?? 0, { tls: true });
  await secure.command("EHLO client.example");
  expect(await secure.command("MAIL FROM:<a@b.example>")).toBe("250 2.1.0 Sender ok");
});

test.each(["STARTTLS", "implicit TLS"])(
  "garbage instead of a handshake ends the connection (%s)",
  async (kind) => {
    await using running = await startTestServer({ tls, smtpsPort: 0 });
    const { port, smtpsPort = 0 } = running.server;
    if (kind === "STARTTLS") {
      using client = await RawClient.greeted(port);
      await client.command("EHLO client.example");
      await client.command("STARTTLS");
      client.send("this is no handshake\r\nMAIL FROM:<a@b.example>\r\n".repeat(10));
      await client.closed();
    } else {
      const socket = connect({ port: smtpsPort, host: "127.0.0.1" });
      socket.on("error", () => {});
      socket.write("EHLO plain.example\r\n".repeat(10));
      await new Promise((resolve) => socket.resume().on("close", resolve));
    }
    using client = await RawClient.greeted(port);
    expect(await client.command("NOOP")).toBe("250 2.0.0 Ok");
  },
);

describe("a TLS client that does not close after its last reply", () => {
  const HOUR_MS = 3_600_000;

  test("does not keep its place for ten seconds after QUIT", async () => {
    const clock = new ManualClock();
    const limits = { idleTimeoutMs: HOUR_MS, messageTimeoutMs: HOUR_MS };
    await using running = await startTestServer({ tls, smtpsPort: 0, clock, limits });
    using client = await RawClient.greeted(running.server.smtpsPort ?? 0, { tls: true });
    client.pause();
    client.send("QUIT\r\n");
    const isForgotten = () => {
      clock.advance(1000);
      return running.server.connections === 0;
    };
    await until(isForgotten, "the connection to be forgotten");
  });

  test("gets all replies, even if it reads them late", async () => {
    const clock = new ManualClock();
    const limits = { idleTimeoutMs: HOUR_MS, messageTimeoutMs: HOUR_MS, maxFruitlessCommands: 50_000 };
    await using running = await startTestServer({ tls, smtpsPort: 0, clock, limits });
    using client = await RawClient.greeted(running.server.smtpsPort ?? 0, { tls: true });
    client.pause();
    const count = 30_000;
    await client.sendAll(Buffer.from(`${"NOOP\r\n".repeat(count)}QUIT\r\n`));
    const isForgotten = () => {
      clock.advance(1000);
      return running.server.connections === 0;
    };
    await until(isForgotten, "the connection to be forgotten");
    client.resume();
    expect(await client.closed()).toBe(`${"250 2.0.0 Ok\r\n".repeat(count)}221 2.0.0 Bye\r\n`);
  });

  test("does not delay a stop until the grace period is over", async () => {
    const running = await startTestServer({ tls, smtpsPort: 0 });
    using client = await RawClient.greeted(running.server.smtpsPort ?? 0, { tls: true });
    client.pause();
    const graceMs = 60_000;
    const began = performance.now();
    await running.server.stop(graceMs);
    expect(performance.now() - began).toBeLessThan(graceMs);
  });
});

test("a server cannot be started with TLS but no certificate", async () => {
  expect(startTestServer({ smtpsPort: 0 })).rejects.toThrow("certificate");
  expect(startTestServer({ tlsRequired: true })).rejects.toThrow("certificate");
});
