// Releasing with TLS and credentials, from one Mailkeep to another.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/logger.ts";
import { createCredentials, createSelfSignedCertificate, SmtpServer } from "../../src/smtp/index.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { startSmtpRecorder } from "./support/smtp-recorder.ts";

let from: Mailkeep;
let to: Mailkeep;
let smtp: SmtpServer;
let id: string;
beforeAll(async () => {
  [from, to] = await Promise.all([startMailkeep(), startMailkeep()]);
  ({ id } = await from.receive(mail("Hi"), { sender: "a@x.test", recipients: ["b@y.test"] }));
  smtp = new SmtpServer({
    hostname: "127.0.0.1",
    port: 0,
    smtpsPort: 0,
    tls: createSelfSignedCertificate({ hosts: ["127.0.0.1"], now: new Date() }),
    tlsRequired: true,
    auth: { required: true, verify: createCredentials([{ user: "me", kind: "plain", password: "secret" }]) },
    limits: {
      maxMessageBytes: 1_000_000,
      maxRecipients: 10,
      maxConnections: 10,
      maxConnectionsPerAddress: 10,
      maxCommandBytes: 4096,
      maxFruitlessCommands: 100,
      idleTimeoutMs: 10_000,
      messageTimeoutMs: 10_000,
    },
    mailbox: to.inbox,
    inboxes: to.inboxes,
    faults: to.faults,
    transcripts: to.transcripts,
    logger: silentLogger,
    serverName: "target.test",
  });
});
afterAll(async () => {
  await smtp.stop(0);
  await Promise.all([from.stop(), to.stop()]);
});

const release = (body: object) =>
  from.call(`/api/v1/messages/${id}/release`, {
    method: "POST",
    body: { host: "127.0.0.1", ...body } as never,
  });
const credentials = { username: "me", password: "secret" };

const ways: [string, () => object][] = [
  ["STARTTLS when it is offered", () => ({ port: smtp.port })],
  ["STARTTLS when it is demanded", () => ({ port: smtp.port, tls: "starttls" })],
  ["TLS from the first byte", () => ({ port: smtp.smtpsPort, tls: "implicit" })],
];
test.each(ways)("a mail is sent with %s", async (_, way) => {
  await to.store.clear();
  const answer = await release({ ...way(), ...credentials });
  expect(answer).toMatchObject({ status: 200, json: { released: true, accepted: ["b@y.test"] } });
  const [arrived] = (await to.store.list({ filter: {}, limit: 1 })).messages;
  expect(arrived).toMatchObject({ sender: "a@x.test", recipients: ["b@y.test"], subject: "Hi" });
  expect((await to.call(`/api/v1/messages/${arrived?.id}/raw`)).text).toBe(mail("Hi"));
});

test("an untrusted certificate that must be verified is 502", async () => {
  const answer = await release({ port: smtp.port, tls: "starttls", tls_verify: true, ...credentials });
  expect(answer).toMatchObject({ status: 502 });
});

test("a server without TLS has no certificate to verify, and gets the mail unless TLS is demanded", async () => {
  const recorder = startSmtpRecorder({ answers: { STARTTLS: "502 5.5.1 not offered" } });
  try {
    expect((await release({ port: recorder.port, tls_verify: true })).status).toBe(200);
    expect((await release({ port: recorder.port, tls_verify: true, tls: "none" })).status).toBe(200);
    expect(await release({ port: recorder.port, tls_verify: true, tls: "starttls" })).toMatchObject({
      status: 502,
      json: { code: "release_refused" },
    });
  } finally {
    recorder.stop();
  }
});

test("wrong credentials are 502, and stay out of the answer", async () => {
  const answer = await release({ port: smtp.port, username: "me", password: "hunter2-wrong" });
  expect(answer).toMatchObject({ status: 502, json: { code: "release_refused" } });
  expect(answer.text).not.toContain("hunter2");
});

test("the error for a port that does not speak TLS says which tls to try", async () => {
  expect(await release({ port: smtp.port, tls: "implicit" })).toMatchObject({
    status: 502,
    json: {
      error: `127.0.0.1:${smtp.port} does not speak TLS on this port: try "starttls" or "none" for tls (in --relay: ?tls=none).`,
      code: "release_unreachable",
    },
  });
});

test("a server that demands TLS refuses mail without it", async () => {
  expect((await release({ port: smtp.port, tls: "none" })).status).toBe(502);
});
