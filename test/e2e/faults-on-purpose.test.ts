// Faults on purpose, set by flags, variables, the settings file, Mailkeep's client and addresses,
// as nodemailer meets them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import { connect } from "../../src/client/index.ts";
import { tempFolder } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";

const folder = tempFolder();
const config = join(folder.path, "mailkeep.toml");
let mailkeep: Running;
beforeAll(async () => {
  await Bun.write(
    config,
    `[[fault]]
name = "file"
at = "rcpt"
to = "file@example.com"
reply = { code = 452, text = "By file" }

[[fault]]
name = "file-too"
at = "mail"
from = "file@example.com"
reply = { code = 553 }
`,
  );
  mailkeep = await startMailkeep({ args: ["--config", config, "--fault-addresses"] });
});
afterAll(async () => {
  await mailkeep.stop();
  folder.remove();
});

const send = (running: Running, to: string, from = "app@example.com", more: SendMailOptions = {}) =>
  createTransport({ host: "127.0.0.1", port: running.smtpPort })
    .sendMail({ from, to, subject: "Hi", text: "Hello", ...more })
    .then(
      () => "accepted",
      (error: { response: string }) => error.response,
    );

test("the rules of the settings file hold", async () => {
  expect(await send(mailkeep, "file@example.com")).toBe("452 4.0.0 By file");
  expect(await send(mailkeep, "ann@example.com", "file@example.com")).toStartWith("553 5.0.0");
  expect(await send(mailkeep, "ann@example.com")).toBe("accepted");
});

test("flags and variables are rules, too", async () => {
  const rule = (name: string, code: number) =>
    JSON.stringify({ name, at: "rcpt", to: `${name}@example.com`, reply: { code } });
  await using flags = await startMailkeep({
    args: ["--fault", rule("one", 450), "--fault", rule("two", 451)],
    environment: { MAILKEEP_FAULT: `[${rule("three", 452)},${rule("four", 450)}]` },
  });
  expect(await send(flags, "one@example.com")).toStartWith("450");
  expect(await send(flags, "two@example.com")).toStartWith("451");
  expect(await send(flags, "four@example.com")).toStartWith("450");
});

test.each([
  ["busy", "--fault: 'busy' is not valid; accepted: a JSON object"],
  [
    '{"name":"a","at":"rcpt","drop":true,"form":"x"}',
    "--fault 1: form is not known here; did you mean from?",
  ],
  ['{"name":"a","at":"rcp","drop":true}', "--fault 1: at must be connect, ehlo, starttls,"],
  ['{"at":"rcpt","drop":true}', "--fault 1: name is missing"],
  ['{"name":"a","at":"rcpt"}', "--fault 1: reply is missing: a rule needs one of reply, delay"],
])("serve does not start with --fault %s", async (rule, message) => {
  const { code, err } = await runMailkeep([
    "serve",
    "--ephemeral",
    "--smtp-port=0",
    "--http-port=0",
    "--fault",
    rule,
  ]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

test("inbox.fail() makes only the mail of one test fail", async () => {
  const inbox = connect(mailkeep.http);
  const people = ["ann@example.com", "bob@example.com", "cat@example.com"];
  const outcomes = await Promise.all(
    people.map(async (to, index) => {
      const fault = await inbox.only({ to }).fail({ at: "RCPT", reply: 450 + index, times: 2 });
      const tries = [await send(mailkeep, to), await send(mailkeep, to), await send(mailkeep, to)];
      await fault.remove();
      await fault.remove();
      const hits = await fault.hits();
      return { codes: tries.map((text) => text.slice(0, 3)), hits };
    }),
  );
  expect(outcomes).toEqual(
    people.map((_, index) => ({ codes: [`${450 + index}`, `${450 + index}`, "acc"], hits: 2 })),
  );
});

test("inbox.fail() refuses a condition that is undefined, or misspelt", async () => {
  const inbox = connect(mailkeep.http);
  const to = undefined as unknown as string;
  await expect(inbox.fail({ to, at: "RCPT", reply: 450 })).rejects.toThrow("'to' is undefined");
  const misspelt = { too: "ann@example.com", at: "rcpt", reply: 450 } as const;
  await expect(inbox.fail(misspelt)).rejects.toThrow(
    "Field too of the request body is not known here; did you mean to?",
  );
});

test("an inbox that is narrowed by more than addresses has neither faults nor rejections", async () => {
  const inbox = connect(mailkeep.http);
  const narrowed = inbox.only({ to: "ann@example.com", subject: "Hi", since: "1h" });
  await expect(narrowed.fail({ at: "RCPT", reply: 450 })).rejects.toThrow(
    "fail() supports only from and to, but this inbox is also narrowed by subject, since",
  );
  await expect(narrowed.rejections()).rejects.toThrow("rejections() supports only from and to");
  await send(mailkeep, "fault+451@example.com");
  await send(mailkeep, "fault+452@example.com");
  const one = await inbox.only({ to: "Fault+451@example.com" }).rejections({ limit: 1 });
  expect(one).toMatchObject([{ recipients: ["fault+451@example.com"] }]);
});

test("a rule at connect neither fails nor counts the health check", async () => {
  const inbox = connect(mailkeep.http);
  const fault = await inbox.fail({ at: "connect", reply: 421, first: 1 });
  expect(await inbox.health()).toMatchObject({ status: "ok" });
  expect(await fault.hits()).toBe(0);
  expect(await send(mailkeep, "ann@example.com")).toStartWith("421");
  expect(await fault.hits()).toBe(1);
  await fault.remove();
});

test("a mail to bounce+5.1.1@… comes back to its sender as soon as it is accepted", async () => {
  const inbox = connect(mailkeep.http);
  expect(await send(mailkeep, "fault+450-4.2.2@example.com")).toStartWith("450 4.2.2");
  expect(await send(mailkeep, "bounce+5.1.1@example.com", "bounced@example.com")).toBe("accepted");
  const mail = await inbox.latest({ to: "bounced@example.com" });
  expect(mail).toMatchObject({ sender: "", subject: "Undelivered Mail Returned to Sender" });
  expect(mail?.attachments.map(({ content_type }) => content_type)).toContain("message/delivery-status");
  const dsn = { id: "1", return: "headers", notify: "never", recipient: "quiet@example.com" } as const;
  expect(await send(mailkeep, "bounce+5.1.1@example.com", "quiet@example.com", { dsn })).toBe("accepted");
  expect(await inbox.count({ to: "quiet@example.com" })).toBe(0);
});

test("a mail to bounce+5.1.1@… that comes by HTTP comes back, too", async () => {
  const inbox = connect(mailkeep.http);
  const body = JSON.stringify({ from: "by-http@example.com", to: ["bounce+5.1.1@example.com"] });
  expect((await fetch(`${mailkeep.http}/api/v1/send`, { method: "POST", body })).status).toBe(201);
  const mail = await inbox.latest({ to: "by-http@example.com" });
  expect(mail).toMatchObject({ sender: "", subject: "Undelivered Mail Returned to Sender" });
});

test("a mail shows its SMTP session, and list --rejected shows refused mails", async () => {
  const inbox = connect(mailkeep.http);
  await send(mailkeep, "told@example.com");
  const transcript = await (await inbox.waitFor({ to: "told@example.com" })).transcript();
  expect(transcript.lines.map(({ text }) => text)).toContain("RCPT TO:<told@example.com>");
  const fault = await inbox.fail({
    to: "shown@example.com",
    at: "rcpt",
    reply: { code: 550, text: "No such user" },
  });
  await send(mailkeep, "shown@example.com");
  await fault.remove();
  const list = (...args: string[]) => runMailkeep(["list", "--rejected", "--url", mailkeep.http, ...args]);
  expect((await list()).out).toMatch(
    /^time +client +at +from +to +reply\n(?:.*\n)*.* 127\.0\.0\.1 +rcpt +app@example\.com +shown@example\.com +550 5\.0\.0 No such user\n/,
  );
  expect(JSON.parse((await list("--format=json")).out)).toContainEqual(
    expect.objectContaining({ stage: "rcpt", recipients: ["shown@example.com"] }),
  );
  expect(await list("--unread")).toMatchObject({
    code: 2,
    err: expect.stringContaining("cannot be combined with filters"),
  });
});
