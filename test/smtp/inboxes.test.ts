// Mail by SMTP into inboxes: by AUTH, by port, and what is refused on purpose in one of them.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { createCredentials, parseCredential, type SmtpServer } from "../../src/smtp/index.ts";
import { type Mailkeep, startMailkeep } from "../http/support/mailkeep.ts";
import { startTestServer } from "./test-server.ts";

let mailkeep: Mailkeep;
let server: SmtpServer;
let token: string;
beforeEach(async () => {
  mailkeep = await startMailkeep({ declared: [{ name: "shop" }] });
  token = (await mailkeep.inboxes.put("ci", {}, null)).token ?? "";
  ({ server } = await startTestServer({
    mailbox: mailkeep.inbox,
    inboxes: mailkeep.inboxes,
    inboxPorts: [{ inbox: "shop", port: 0 }],
    faults: mailkeep.faults,
    transcripts: mailkeep.transcripts,
    auth: { required: false, verify: createCredentials([parseCredential("alice:secret")]) },
  }));
});
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
}

/** The inbox that a mail ends up in, or the code that refuses it. */
async function send({ user, pass = "", authMethod, port = server.port, to = "ann@example.com" }: Way) {
  await mailkeep.store.clear();
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    ...(authMethod && { authMethod }),
    ...(user && { auth: { user, pass } }),
  });
  try {
    await transport.sendMail({ from: "app@example.com", to, subject: "x", text: "x" });
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
  expect(await send({ user: "ci", pass: token, authMethod: "CRAM-MD5" })).toBe(535);
  expect(await send({ user: "alice", pass: "secret" })).toBe("default");
  expect(await send({ user: "shop", pass: "anything" })).toBe(535);
});

test("the port of an inbox delivers into it, unless AUTH names another", async () => {
  const port = server.inboxPorts.get("shop");
  expect(await send({ port })).toBe("shop");
  expect(await send({ port, user: "ci", pass: token })).toBe("ci");
  expect(await send({ to: "ann+ci@example.com" })).toBe("ci");
  expect(await send({})).toBe("default");
});

test("a fault of an inbox meets its mail alone, and its rejections are its own", async () => {
  mailkeep.faults.add({ name: "busy", at: "end", reply: { code: 450 } }, ["ci"]);
  expect(await send({ user: "ci", pass: token })).toBe(450);
  expect(await send({ to: "ann+ci@example.com" })).toBe(450);
  expect(await send({})).toBe("default");
  expect(mailkeep.transcripts.rejections(9, ["ci"]).total).toBe(2);
  expect(mailkeep.transcripts.rejections(9, ["default"]).total).toBe(0);
});
