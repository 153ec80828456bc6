import { expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { createCredentials, createSelfSignedCertificate, parseCredential } from "../../src/smtp/index.ts";
import { startTestServer } from "./test-server.ts";

const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
const trust = { ca: tls.cert, servername: "localhost" };
const auth = {
  required: true,
  verify: createCredentials([parseCredential("alice:secret")]),
};
const MAIL = {
  from: "alice@example.com",
  to: ["bob@example.com", "carol@example.com"],
  subject: "Hello",
  text: "A line\r\n.starting with a dot\r\n",
};

test("nodemailer delivers over a plain connection", async () => {
  await using running = await startTestServer();
  const transport = createTransport({ host: "127.0.0.1", port: running.server.port, ignoreTLS: true });
  const sent = await transport.sendMail(MAIL);
  const [mail] = running.mailbox.mails;
  expect(mail?.sender).toBe("alice@example.com");
  expect(mail?.recipients).toEqual(["bob@example.com", "carol@example.com"]);
  expect(mail?.raw.toString()).toContain("\r\n\r\nA line\r\n.starting with a dot\r\n");
  expect(sent.response).toBe(`250 2.0.0 Stored as ${mail?.id}`);
});

test("nodemailer delivers over STARTTLS, trusting the self-signed certificate", async () => {
  await using running = await startTestServer({ tls, tlsRequired: true });
  const { port } = running.server;
  const transport = createTransport({ host: "127.0.0.1", port, requireTLS: true, tls: trust });
  await transport.sendMail(MAIL);
  expect(running.mailbox.mails.length).toBe(1);
});

test("nodemailer delivers over SMTPS", async () => {
  await using running = await startTestServer({ tls, smtpsPort: 0 });
  const port = running.server.smtpsPort ?? 0;
  const transport = createTransport({ host: "127.0.0.1", port, secure: true, tls: trust });
  await transport.sendMail(MAIL);
  expect(running.mailbox.mails.length).toBe(1);
});

test.each(["PLAIN", "LOGIN", "CRAM-MD5"])("nodemailer logs in with %s", async (authMethod) => {
  await using running = await startTestServer({ auth });
  const { port } = running.server;
  const transport = (pass: string) =>
    createTransport({ host: "127.0.0.1", port, authMethod, auth: { user: "alice", pass } });
  await transport("secret").sendMail(MAIL);
  expect(running.mailbox.mails.length).toBe(1);
  expect(transport("wrong").sendMail(MAIL)).rejects.toThrow("535 5.7.8");
});

test("nodemailer's pool delivers many mails over few connections", async () => {
  await using running = await startTestServer({ limits: { maxConnections: 3 } });
  const { port } = running.server;
  const transport = createTransport({ pool: true, maxConnections: 3, host: "127.0.0.1", port });
  const subjects = Array.from({ length: 60 }, (_, index) => `Mail ${index}`);
  await Promise.all(subjects.map((subject) => transport.sendMail({ ...MAIL, subject })));
  transport.close();
  const kept = running.mailbox.mails.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? "");
  expect(kept.toSorted()).toEqual(subjects.toSorted());
});
