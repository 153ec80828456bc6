// MailHog's interface, tested with every method of the npm package `mailhog` that sends a request.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import mailhogClient from "mailhog";
import { type Mailkeep, mail, startMailkeep } from "../support/mailkeep.ts";
import { startSmtpRecorder } from "../support/smtp-recorder.ts";

let mailkeep: Mailkeep;
let mailhog: ReturnType<typeof mailhogClient>;
const recorder = startSmtpRecorder();
beforeAll(async () => {
  mailkeep = await startMailkeep();
  mailhog = mailhogClient({ host: "127.0.0.1", port: mailkeep.server.port, basePath: "/compat/mailhog/api" });
});
beforeEach(() => mailkeep.store.clear());
afterAll(async () => {
  recorder.stop();
  await mailkeep.stop();
});

const RICH = [
  "From: =?utf-8?q?Sh=C3=B6p?= <shop@example.com>",
  "To: Ann <ann@example.com>",
  "Cc: carl@example.com",
  "Reply-To: help@example.com",
  "Date: Tue, 17 Nov 2026 10:00:00 +0000",
  "Subject: =?utf-8?b?R3LDtsOfZSDinIk=?=",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=cut",
  "",
  "--cut",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Gr=C3=BC=C3=9Fe, code 482913",
  "--cut",
  "Content-Type: text/html; charset=iso-8859-1",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("<p>Grüße</p>", "latin1").toString("base64"),
  "--cut",
  'Content-Type: text/csv; name="a.csv"',
  'Content-Disposition: attachment; filename="a.csv"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("a,b\n").toString("base64"),
  "--cut--",
  "",
].join("\r\n");
const ENVELOPE = { sender: "bounce@mailer.example", recipients: ["ann@example.com", "hidden@example.com"] };

const call = (path: string, method = "GET", body?: object) =>
  fetch(`${mailkeep.url}/compat/mailhog/api${path}`, { method, ...(body && { body: JSON.stringify(body) }) });

test("messages are listed, and the client reads all of them", async () => {
  await mailkeep.receive(mail("Older"));
  const { id } = await mailkeep.receive(RICH, ENVELOPE);
  const result = await mailhog.messages();
  expect([result?.total, result?.count, result?.start]).toEqual([2, 2, 0]);
  const [first] = result?.items ?? [];
  expect(first?.ID).toBe(id);
  expect(first?.subject).toBe("Größe ✉");
  expect(first?.from).toBe("Shöp <shop@example.com>");
  expect(first?.to).toBe("Ann <ann@example.com>");
  expect(first?.cc).toBe("carl@example.com");
  expect(first?.bcc).toBeUndefined();
  expect(first?.replyTo).toBe("help@example.com");
  expect(first?.date).toEqual(new Date("2026-11-17T10:00:00Z"));
  expect(first?.deliveryDate.getTime()).toBeGreaterThan(0);
  expect(first?.text).toBe("Grüße, code 482913");
  expect(first?.html).toBe("<p>Grüße</p>");
  const [file] = first?.attachments ?? [];
  expect([file?.name, file?.type, file?.encoding]).toEqual(["a.csv", 'text/csv; name="a.csv"', "base64"]);
  expect(mailhog.decode(file?.Body ?? "", file?.encoding)).toBe("a,b\n");
  expect(first).toMatchObject({
    From: { Mailbox: "bounce", Domain: "mailer.example" },
    To: [
      { Mailbox: "ann", Domain: "example.com" },
      { Mailbox: "hidden", Domain: "example.com" },
    ],
    Raw: { From: ENVELOPE.sender, To: ENVELOPE.recipients, Data: RICH.slice(0, -2) },
  });
});

test("the body of a mail ends before the line end that belongs to the final dot", async () => {
  await mailkeep.receive(mail("Plain", "Hello.", ["Content-Type: text/plain"]));
  const [item] = (await mailhog.messages())?.items ?? [];
  expect(item?.text).toBe("Hello.");
  const raw = "Subject: Plain\r\nContent-Type: text/plain\r\n\r\nHello.";
  expect(item).toMatchObject({ Content: { Size: raw.length }, Raw: { Data: raw } });
});

test("pages begin at the given start", async () => {
  for (const number of [1, 2, 3]) await mailkeep.receive(mail(`Mail ${number}`));
  const { items, start, total } = (await mailhog.messages(1, 1)) ?? {};
  expect([start, total, items?.map(({ subject }) => subject)]).toEqual([1, 3, ["Mail 2"]]);
});

test("a search goes by sender, recipient and content", async () => {
  await mailkeep.receive(RICH, ENVELOPE);
  await mailkeep.receive(mail("Other"));
  const found = async (...asked: Parameters<typeof mailhog.search>) =>
    (await mailhog.search(...asked))?.items.map(({ ID: _, subject }) => subject);
  expect(await found("mailer.example", "from")).toEqual(["Größe ✉"]);
  expect(await found("hidden@example.com", "to")).toEqual(["Größe ✉"]);
  expect(await found("code 4829")).toEqual(["Größe ✉"]);
  expect((await mailhog.latestFrom("bounce@mailer.example"))?.subject).toBe("Größe ✉");
  expect((await mailhog.latestTo("alice@example.com"))?.subject).toBe("Other");
  expect((await mailhog.latestContaining("482913"))?.subject).toBe("Größe ✉");
  expect(await mailhog.latestTo("nobody@example.com")).toBeFalsy();
  expect((await call("/v2/search?kind=subject&query=x")).status).toBe(400);
  expect((await call("/v2/search?query=x")).status).toBe(400);
});

test("people are found in the envelope or in the header, each mail once", async () => {
  const to = (recipient: string, written: string) =>
    mailkeep.receive(mail(written, "", [`To: ${written}@example.com`]), {
      recipients: [`${recipient}@example.com`],
    });
  for (const [recipient, written] of [
    ["ann", "one"],
    ["two", "ann"],
    ["ann", "ann"],
    ["bob", "carl"],
  ] as const)
    await to(recipient, written);
  const page = (start: number, limit: number) => mailhog.search("ANN@example.com", "to", start, limit);
  const shown = (result: Awaited<ReturnType<typeof page>>) => [
    result?.total,
    result?.items.map(({ to }) => to),
  ];
  expect(shown(await page(0, 50))).toEqual([3, ["ann", "ann", "one"].map((name) => `${name}@example.com`)]);
  expect(shown(await page(2, 1))).toEqual([3, ["one@example.com"]]);
  await mailkeep.receive(mail("Named", "", ["From: The Shop <shop@example.com>"]));
  expect((await mailhog.latestFrom("the shop"))?.subject).toBe("Named");
});

test("a message is released to the server that is named", async () => {
  const { id } = await mailkeep.receive(mail("Out it goes"));
  await mailhog.releaseMessage(id, {
    host: "127.0.0.1",
    port: String(recorder.port),
    email: "new@example.com",
  });
  expect(recorder.commands).toContain("RCPT TO:<new@example.com>");
  expect((await call(`/v1/messages/${id}/release`, "POST", { email: "a@b.example" })).status).toBe(400);
  // Some clients write the fields in upper case.
  const target = { Host: "127.0.0.1", Port: String(recorder.port), Email: "upper@example.com" };
  expect((await call(`/v1/messages/${id}/release`, "POST", target)).status).toBe(200);
  expect(recorder.commands).toContain("RCPT TO:<upper@example.com>");
});

test("a password is sent unencrypted only to this machine", async () => {
  const { id } = await mailkeep.receive(mail("With a password"));
  const open = startSmtpRecorder({ extensions: ["AUTH PLAIN"], answers: { AUTH: "235 2.7.0 in" } });
  const login = { port: String(open.port), email: "a@b.example", username: "ann", password: "secret" };
  const release = (host: string) => call(`/v1/messages/${id}/release`, "POST", { ...login, host });
  expect((await release("127.0.0.1")).status).toBe(200);
  expect(open.commands).toContain("RCPT TO:<a@b.example>");
  const elsewhere = await release("127.0.0.2");
  expect([elsewhere.status, JSON.stringify(await elsewhere.json())]).toEqual([
    502,
    expect.not.stringContaining("tls"),
  ]);
  open.stop();
});

test("messages are deleted one by one, and all", async () => {
  const { id } = await mailkeep.receive(mail("One"));
  await mailkeep.receive(mail("Two"));
  await mailkeep.receive(mail("Three"));
  await mailhog.deleteMessage(id);
  expect((await mailhog.messages())?.total).toBe(2);
  await mailhog.deleteAll();
  expect((await mailhog.messages())?.total).toBe(0);
});

test("version 1 lists all mails, and answers with one and with its source", async () => {
  const { id } = await mailkeep.receive(RICH, ENVELOPE);
  expect(await (await call("/v1/messages")).json()).toMatchObject([{ ID: id }]);
  expect(await (await call(`/v1/messages/${id}`)).json()).toMatchObject({ ID: id });
  expect(await (await call(`/v1/messages/${id}/download`)).text()).toBe(RICH);
  expect((await call("/v1/messages/unknown")).status).toBe(404);
});

test("Jim's chances become fault rules", async () => {
  expect((await call("/v2/jim")).status).toBe(404);
  expect((await call("/v2/jim", "POST", { RejectRecipientChance: 1 })).status).toBe(200);
  expect((await call("/v2/jim", "PUT", { LinkSpeedMin: 2048, RejectRecipientChance: 1 })).status).toBe(200);
  expect(await (await call("/v2/jim")).json()).toMatchObject({
    AcceptChance: 0.99,
    RejectRecipientChance: 1,
    LinkSpeedMin: 2048,
    LinkSpeedMax: 2048,
  });
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toContainEqual(
    expect.objectContaining({ name: "jim-recipient", at: "rcpt", probability: 1, reply: { code: 550 } }),
  );
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toContainEqual(
    expect.objectContaining({ name: "jim-link", throttle: 2048 }),
  );
  expect((await call("/v2/jim", "PUT", { RejectEverything: 1 })).status).toBe(400);
  expect((await call("/v2/jim", "DELETE")).status).toBe(200);
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toEqual([]);
});

test("a release with another mechanism, or with a server to save, is 501", async () => {
  const { id } = await mailkeep.receive(mail("Stays"));
  const target = { host: "127.0.0.1", port: String(recorder.port), email: "kept@example.com" };
  const release = (more: object) => call(`/v1/messages/${id}/release`, "POST", { ...target, ...more });
  for (const more of [{ mechanism: "CRAMMD5" }, { save: true }]) {
    const answer = await release(more);
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/mechanism|save/) });
  }
  expect(recorder.commands).not.toContain("RCPT TO:<kept@example.com>");
  for (const mechanism of ["", "PLAIN"]) expect((await release({ mechanism, save: false })).status).toBe(200);
});

test("requests that cannot be translated are 501, with a sentence", async () => {
  for (const path of ["/v2/websocket", "/v1/events", "/v1/messages/1/mime/part/0/download"]) {
    const answer = await call(path);
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({ error: expect.stringContaining("own API") });
  }
});
