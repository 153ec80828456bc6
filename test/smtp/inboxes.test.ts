// Mail by SMTP into inboxes: by AUTH, by port, and with fault rules of one inbox.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import {
  type Credentials,
  createCredentials,
  parseCredential,
  type SmtpServer,
} from "../../src/smtp/index.ts";
import { type Mailkeep, startMailkeep } from "../http/support/mailkeep.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

let mailkeep: Mailkeep;
let server: SmtpServer;
let token: string;
beforeEach(async () => {
  mailkeep = await startMailkeep({ declared: [{ name: "shop" }] });
  token = (await mailkeep.inboxes.put("ci", {}, null)).token ?? "";
  await start(createCredentials([parseCredential("alice:secret")]));
});

async function start(verify: Credentials | null) {
  ({ server } = await startTestServer({
    mailbox: mailkeep.inbox,
    inboxes: mailkeep.inboxes,
    inboxPorts: [{ inbox: "shop", port: 0 }],
    faults: mailkeep.faults,
    transcripts: mailkeep.transcripts,
    auth: { required: false, verify },
  }));
}
afterEach(async () => {
  await server.stop(0);
  await mailkeep.stop();
});

interface Way {
  readonly user?: string;
  readonly pass?: string;
  readonly authMethod?: string;
  readonly port?: number | undefined;
  readonly to?: string;
  readonly headers?: Record<string, string>;
  readonly text?: string;
}

/** Sends a mail. Returns the inbox that it is now in, or the code that refused it. */
async function send({ user, pass = "", authMethod, port = server.port, ...mail }: Way) {
  await mailkeep.store.clear();
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    ...(authMethod && { authMethod }),
    ...(user && { auth: { user, pass } }),
  });
  try {
    await transport.sendMail({ from: "app@example.com", to: "ann@example.com", text: "x", ...mail });
  } catch (error) {
    return (error as { responseCode: number }).responseCode;
  }
  return [...(await mailkeep.store.inboxes()).keys()].join();
}

test("the name of an inbox and its token deliver into it; a wrong one is refused", async () => {
  const { token: other } = await mailkeep.inboxes.put("other", {}, null);
  expect(await send({ user: "ci", pass: token })).toBe("ci");
  expect(await send({ user: "ci", pass: token, authMethod: "LOGIN" })).toBe("ci");
  expect(await send({ user: "ci", pass: "wrong" })).toBe(535);
  expect(await send({ user: "ci", pass: other ?? "" })).toBe(535);
  expect(await send({ user: "CI", pass: token })).toBe("ci");
  // CRAM-MD5 needs plain passwords, but tokens are kept as hashes, so it is not offered.
  expect(await send({ user: "ci", pass: token, authMethod: "CRAM-MD5" })).toBe(504);
  expect(await send({ user: "alice", pass: "secret" })).toBe("default");
  expect(await send({ user: "shop", pass: "anything" })).toBe(535);
});

test("mail sent right after a refused login does not come into the inbox of that name", async () => {
  using client = await RawClient.greeted(server.port);
  client.send(
    `EHLO x\r\nAUTH PLAIN ${Buffer.from("\0ci\0wrong").toString("base64")}\r\n` +
      "MAIL FROM:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nBDAT 6 LAST\r\nA: b\r\nQUIT\r\n",
  );
  expect(await client.closed()).toContain("535 5.7.8");
  expect([...(await mailkeep.store.inboxes()).keys()]).toEqual(["default"]);
});

test("the port of an inbox delivers into it, unless AUTH names another", async () => {
  const port = server.inboxPorts.get("shop");
  expect(await send({ port })).toBe("shop");
  expect(await send({ port, user: "ci", pass: token })).toBe("ci");
  expect(await send({ to: "ann+ci@example.com" })).toBe("ci");
  expect(await send({})).toBe("default");
});

test("a fault of an inbox hits only its mail, and so do its rejections", async () => {
  mailkeep.faults.add({ name: "busy", at: "end", reply: { code: 450 } }, ["ci"]);
  expect(await send({ user: "ci", pass: token })).toBe(450);
  expect(await send({ to: "ann+ci@example.com" })).toBe(450);
  expect(await send({})).toBe("default");
  expect(mailkeep.transcripts.rejections(9, ["ci"]).total).toBe(2);
  expect(mailkeep.transcripts.rejections(9, ["default"]).total).toBe(0);
});

test("a refused recipient shows nothing of a mail of another inbox", async () => {
  const transcriptIn = (inbox: string, scope: string[] | null) => {
    const [{ id } = { id: "" }] = mailkeep.transcripts.rejections(1, [inbox]).rejections;
    return JSON.stringify(mailkeep.transcripts.ofRejection(id, scope));
  };
  mailkeep.faults.add({ name: "busy", at: "rcpt", reply: { code: 450 } }, ["ci"]);
  using client = await RawClient.greeted(server.port);
  const codes: string[] = [];
  for (const line of [
    "EHLO x",
    "MAIL FROM:<a@x.test>",
    "RCPT TO:<b+ci@x.test>",
    "RCPT TO:<c+shop@x.test>",
    "RCPT TO:<d+ci@x.test>",
    "RCPT TO:<e+ci@x.test> BAD=1",
    "DATA",
    "A: b\r\n.",
  ])
    codes.push((await client.command(line)).slice(0, 3));
  expect(codes).toEqual(["250", "250", "450", "250", "250", "555", "354", "250"]);
  expect(mailkeep.transcripts.rejections(9).rejections).toMatchObject([
    { recipients: ["e+ci@x.test"] },
    { recipients: ["b+ci@x.test"] },
  ]);
  expect(transcriptIn("shop", ["shop"])).toContain("BAD=1");
  expect(transcriptIn("ci", ["ci"])).toContain("450");
  expect(transcriptIn("ci", ["ci"])).not.toContain("c+shop");
  expect(transcriptIn("ci", null)).toContain("c+shop");
});

test("a fault of an inbox at auth hits the login of that inbox, which then fails", async () => {
  mailkeep.faults.add({ name: "busy", at: "auth", reply: { code: 454 }, times: 1 }, ["ci"]);
  expect(await send({ user: "alice", pass: "secret" })).toBe("default");
  expect(await send({ user: "ci", pass: "wrong" })).toBe(535);
  expect(await send({ user: "ci", pass: token })).toBe(454);
  expect(mailkeep.transcripts.rejections(9, ["ci"]).total).toBe(2);
  expect(await send({ user: "ci", pass: token })).toBe("ci");
});

test("after a login that a fault refused, mail without a login is accepted", async () => {
  mailkeep.faults.add({ name: "busy", at: "auth", reply: { code: 454 } }, ["ci"]);
  using client = await RawClient.greeted(server.port);
  await client.command("EHLO a");
  const login = Buffer.from(`\0ci\0${token}`).toString("base64");
  expect(await client.command(`AUTH PLAIN ${login}`)).toStartWith("454");
  expect(await client.command("MAIL FROM:<a@example.com>")).toStartWith("250");
});

test("mail that its header sends to an inbox is refused there, and so is a login as the inbox", async () => {
  const headers = { "X-Mailkeep-Inbox": "ci" };
  mailkeep.faults.add({ name: "busy", at: "end", header: "X-Mailkeep-Inbox: ci", reply: { code: 450 } });
  expect(await send({ headers })).toBe(450);
  mailkeep.faults.replace([]);
  expect(await send({ headers, text: "x".repeat(1_100_000) })).toBe(552);
  expect(await send({ user: "ci", pass: "wrong" })).toBe(535);
  expect(mailkeep.transcripts.rejections(9, ["ci"]).total).toBe(3);
});

const message = { from: "app@example.com", to: "ann@example.com", subject: "x", text: "x" };

/** Sends all mails in one session, which is logged in. */
const loggedIn = () =>
  createTransport({
    host: "127.0.0.1",
    port: server.port,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
    auth: { user: "ci", pass: token },
  });

test("the token of a removed inbox is refused, also in a session that is logged in", async () => {
  const transport = loggedIn();
  await transport.sendMail(message);
  mailkeep.faults.add({ name: "busy", at: "end", reply: { code: 450 } }, ["ci"]);
  await expect(transport.sendMail(message)).rejects.toMatchObject({ responseCode: 450 });
  expect(mailkeep.transcripts.rejections(9, ["ci"]).total).toBe(1);
  await mailkeep.inboxes.remove("ci");
  await mailkeep.inboxes.put("ci", {}, null);
  await expect(transport.sendMail(message)).rejects.toMatchObject({ responseCode: 550 });
  expect(mailkeep.transcripts.rejections(9, ["ci"])).toEqual({ rejections: [], total: 0 });
  expect(mailkeep.transcripts.rejections(9).total).toBeGreaterThan(0);
  await mailkeep.inboxes.remove("ci");
  expect(await send({ user: "ci", pass: token })).toBe(535);
  transport.close();
});

test("a token that is revoked is refused in a session that is logged in", async () => {
  const transport = loggedIn();
  await transport.sendMail(message);
  for (const { id } of mailkeep.tokens.list()) await mailkeep.tokens.revoke(id);
  await expect(transport.sendMail(message)).rejects.toMatchObject({ responseCode: 550 });
  transport.close();
});

test("if anybody may log in, a declared inbox asks for its token as soon as it has one", async () => {
  await server.stop(0);
  await start(null);
  expect(await send({ user: "shop", pass: "anything" })).toBe("shop");
  expect(await send({ user: "gone", pass: `${token}x` })).toBe(535);
  const inboxes = ["shop"];
  const made = await mailkeep.tokens.create({ name: null, role: "write", inboxes, expiresAt: null });
  expect(await send({ user: "shop", pass: "anything" })).toBe(535);
  expect(await send({ user: "shop", pass: made.token })).toBe("shop");
});
