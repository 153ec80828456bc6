// Mailpit's interface, tested with every method of the client `mailpit-api` from npm.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { MailpitClient } from "mailpit-api";
import { until } from "../../support/until.ts";
import { listen } from "../support/events.ts";
import { type Mailkeep, mail, startMailkeep } from "../support/mailkeep.ts";
import { startSmtpRecorder } from "../support/smtp-recorder.ts";

let mailkeep: Mailkeep;
let mailpit: MailpitClient;
const recorder = startSmtpRecorder();
beforeAll(async () => {
  const server = { host: "127.0.0.1", port: recorder.port, tls: "none" } as const;
  mailkeep = await startMailkeep({
    release: { relay: { server, allow: [], deny: ["*@denied.example"] } },
  });
  mailpit = new MailpitClient(`${mailkeep.url}/compat/mailpit`);
});
beforeEach(() => mailkeep.store.clear());
afterAll(async () => {
  recorder.stop();
  await mailkeep.stop();
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const WELCOME = {
  From: { Email: "shop@example.com", Name: 'The "Shop"' },
  To: [{ Email: "ann@example.com", Name: "Ann Ämter" }, { Email: "bob@example.com" }],
  Cc: [{ Email: "cc@example.com", Name: "Copy" }],
  Bcc: ["hidden@example.com"],
  ReplyTo: [{ Email: "reply@example.com", Name: "Reply" }],
  Subject: "Welcome aboard",
  Text: "Your code is 482913.",
  HTML: '<p>Your code is <b>482913</b>.</p><img src="cid:logo%40shop">',
  Headers: { "X-Run": "42", "List-Unsubscribe": "<mailto:off@example.com>, <https://example.com/off>" },
  Tags: ["welcome"],
  Attachments: [
    {
      Content: Buffer.from("item,price\n").toString("base64"),
      Filename: "order.csv",
      ContentType: "text/csv",
    },
    { Content: `data:image/png;base64,${PIXEL}`, Filename: "logo.png", ContentID: "logo@shop" },
  ],
};

const subjects = async (query: string) => {
  const { messages } = await mailpit.searchMessages({ query });
  return messages.map(({ Subject }) => Subject).toSorted();
};

test("a sent mail is listed as Mailpit lists it", async () => {
  const { ID } = await mailpit.sendMessage(WELCOME);
  const list = await mailpit.listMessages();
  expect(list).toEqual({
    total: 1,
    unread: 1,
    count: 1,
    messages_count: 1,
    messages_unread: 1,
    start: 0,
    tags: ["welcome"],
    messages: [
      {
        ID,
        MessageID: expect.stringMatching(/^[^<>]+@[^<>]+$/),
        Read: false,
        From: { Name: 'The "Shop"', Address: "shop@example.com" },
        To: [
          { Name: "Ann Ämter", Address: "ann@example.com" },
          { Name: "", Address: "bob@example.com" },
        ],
        Cc: [{ Name: "Copy", Address: "cc@example.com" }],
        Bcc: [{ Name: "", Address: "hidden@example.com" }],
        ReplyTo: [{ Name: "Reply", Address: "reply@example.com" }],
        Subject: "Welcome aboard",
        Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        Username: "",
        Tags: ["welcome"],
        Size: expect.any(Number),
        Attachments: 1,
        Snippet: "Your code is 482913.",
      },
    ],
  });
});

test("a message comes whole, by its id and as the latest, and is read afterwards", async () => {
  await mailkeep.receive(mail("Older"));
  const { ID } = await mailpit.sendMessage(WELCOME);
  const message = await mailpit.getMessageSummary(ID);
  expect(message).toMatchObject({
    ID,
    ReturnPath: "shop@example.com",
    Subject: "Welcome aboard",
    Text: expect.stringContaining("Your code is 482913."),
    HTML: expect.stringContaining("<b>482913</b>"),
    Tags: ["welcome"],
    ListUnsubscribe: {
      Header: "<mailto:off@example.com>, <https://example.com/off>",
      Links: ["mailto:off@example.com", "https://example.com/off"],
      Errors: "",
      HeaderPost: "",
    },
    Attachments: [
      {
        FileName: "order.csv",
        ContentType: "text/csv",
        ContentID: "",
        Size: 11,
        Checksums: {
          MD5: "65bb643e675975274ce9d0069cab03af",
          SHA1: "ae06631628deb481d1b3da28b848ca7a4ec057a5",
          SHA256: new Bun.CryptoHasher("sha256").update("item,price\n").digest("hex"),
        },
      },
    ],
    Inline: [{ FileName: "logo.png", ContentType: "image/png", ContentID: "logo@shop" }],
  });
  expect(await mailpit.getMessageSummary()).toEqual(message);
  expect((await mailpit.listMessages()).unread).toBe(1);
});

test("the text and the HTML of a mail keep the line ends with which they were sent", async () => {
  await mailkeep.receive(mail("Two lines", "one\r\ntwo"));
  expect((await mailpit.getMessageSummary()).Text).toBe("one\r\ntwo\r\n");
  expect(await mailpit.renderMessageText()).toBe("one\r\ntwo\r\n");
  await mailkeep.receive(mail("HTML", "<p>\r\none</p>", ["Content-Type: text/html"]));
  expect((await mailpit.getMessageSummary()).HTML).toBe("<p>\r\none</p>\r\n");
});

test("the return path is the sender of the envelope, or of the header if that is empty", async () => {
  const sent = mail("Bounce", "", ["From: Shop <shop@example.com>", "Return-Path: <other@example.com>"]);
  await mailkeep.receive(sent, { sender: "envelope@example.com" });
  expect((await mailpit.getMessageSummary()).ReturnPath).toBe("envelope@example.com");
  await mailkeep.receive(sent, { sender: "" });
  expect((await mailpit.getMessageSummary()).ReturnPath).toBe("shop@example.com");
});

test("headers keep their values, under canonical names", async () => {
  await mailkeep.receive(
    mail("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Hi.", [
      "X-ONE: first",
      "x-one: second",
      "message-id: <1@example.com>",
    ]),
  );
  expect(await mailpit.getMessageHeaders()).toEqual({
    "Message-Id": ["<1@example.com>"],
    Subject: ["=?utf-8?q?Gr=C3=BC=C3=9Fe?="],
    "X-One": ["first", "second"],
  } as never);
});

test("the source and the parts come as bytes, thumbnails as the whole picture", async () => {
  const { ID } = await mailpit.sendMessage(WELCOME);
  expect(await mailpit.getMessageSource(ID)).toContain("Subject: Welcome aboard\r\n");
  const { Attachments, Inline } = await mailpit.getMessageSummary(ID);
  const [csv, image] = [Attachments[0]?.PartID ?? "", Inline[0]?.PartID ?? ""];
  const file = await mailpit.getMessageAttachment(ID, csv);
  expect(file.type).toStartWith("text/csv");
  expect(await file.text()).toBe("item,price\n");
  const thumbnail = await mailpit.getAttachmentThumbnail(ID, image);
  expect(thumbnail.type).toBe("image/png");
  expect(Buffer.from(await thumbnail.bytes()).toString("base64")).toBe(PIXEL);
  await expect(mailpit.getAttachmentThumbnail(ID, csv)).rejects.toThrow("501");
  await expect(mailpit.getMessageAttachment(ID, "1.2")).rejects.toThrow("404");
});

test("a part can be read in ranges and cached, but not as a part of the latest mail", async () => {
  const { ID } = await mailpit.sendMessage(WELCOME);
  const partOf = (id: string) =>
    fetch(`${mailkeep.url}/compat/mailpit/api/v1/message/${id}/part/logo@shop`, {
      headers: { range: "bytes=1-3" },
    });
  const [own, latest] = await Promise.all([partOf(ID), partOf("latest")]);
  expect(own.status).toBe(206);
  expect(await own.text()).toBe("PNG");
  expect(own.headers.get("cache-control")).toContain("immutable");
  expect(latest.headers.get("cache-control")).toBe("no-cache");
});

test("text and HTML are shown, with images that lead to the parts", async () => {
  const { ID } = await mailpit.sendMessage(WELCOME);
  expect(await mailpit.renderMessageText()).toContain("Your code is 482913.");
  const html = await mailpit.renderMessageHTML(ID);
  const [, source = ""] = /<img src="([^"]+)">/.exec(html) ?? [];
  const image = await fetch(new URL(source, `${mailkeep.url}/compat/mailpit/view/${ID}.html`));
  expect(Buffer.from(await image.arrayBuffer()).toString("base64")).toBe(PIXEL);
  const { headers } = await fetch(`${mailkeep.url}/compat/mailpit/view/latest.html`);
  expect(headers.get("content-security-policy")).toContain("sandbox");
  expect(await (await fetch(`${mailkeep.url}/compat/mailpit/view/latest`)).text()).toBe(html);
  await mailkeep.receive(mail("No HTML"));
  await expect(mailpit.renderMessageHTML()).rejects.toThrow("404");
});

test("pages of the list begin at the given start", async () => {
  for (const number of [1, 2, 3]) await mailkeep.receive(mail(`Mail ${number}`));
  const { messages, start, messages_count } = await mailpit.listMessages(1, 1);
  expect({ start, messages_count, subjects: messages.map(({ Subject }) => Subject) }).toEqual({
    start: 1,
    messages_count: 3,
    subjects: ["Mail 2"],
  });
});

describe("a search", () => {
  beforeEach(async () => {
    await mailpit.sendMessage(WELCOME);
    await mailkeep.receive(
      mail("Invoice 4711", "Please pay 12 EUR.", [
        "From: Billing <billing@other.test>",
        "To: ann@example.com",
      ]),
    );
    await mailkeep.receive(mail("Newsletter", "Nothing new.", ["From: news@other.test"]));
  });

  const CASES: readonly (readonly [string, readonly string[]])[] = [
    ["from:example.com", ["Welcome aboard"]],
    ["from:illin", ["Invoice 4711"]],
    ["to:ann@example.com", ["Invoice 4711", "Welcome aboard"]],
    ['subject:"come aboa"', ["Welcome aboard"]],
    ['"subject:Welcome aboard"', ["Welcome aboard"]],
    ["to:ann -from:billing", ["Welcome aboard"]],
    ["!subject:welcome to:ann", ["Invoice 4711"]],
    ["-subject:ews", ["Invoice 4711", "Welcome aboard"]],
    ["subject:elc subject:boa", ["Welcome aboard"]],
    ["-to:copy -from:illin", ["Newsletter", "Welcome aboard"]],
    ["cc:copy", ["Welcome aboard"]],
    ["reply-to:reply@example.com", ["Welcome aboard"]],
    ["addressed:other.test", ["Invoice 4711", "Newsletter"]],
    ["-addressed:other.test", ["Welcome aboard"]],
    ["482913", ["Welcome aboard"]],
    ['"please pay"', ["Invoice 4711"]],
    ["tag:welcome", ["Welcome aboard"]],
    ["is:tagged", ["Welcome aboard"]],
    ["-tag:welcome is:unread", ["Invoice 4711", "Newsletter"]],
    ["has:attachment", ["Welcome aboard"]],
    ["larger:0.9kb", ["Welcome aboard"]],
    ["smaller:900", ["Invoice 4711", "Newsletter"]],
    ["before:2020-01-01", []],
    ["after:2020/01/01 newsletter", ["Newsletter"]],
    ['"after:2020-01-01 10:00" newsletter', ["Newsletter"]],
    ["after:2020-01-01T10:00 newsletter", ["Newsletter"]],
    ["nothing:like this", []],
  ];
  test.each(CASES)("%s", async (typed, found) => {
    expect(await subjects(typed)).toEqual([...found]);
  });

  test("tells how many match, and how many of them are unread", async () => {
    await mailpit.getMessageSummary("latest");
    const result = await mailpit.searchMessages({ query: "addressed:other.test", limit: 1 });
    const { messages, messages_count, messages_unread, total, unread } = result;
    expect([messages.length, messages_count, messages_unread, total, unread]).toEqual([1, 2, 1, 3, 2]);
  });

  test("that cannot be translated is 501, and an empty one is 400", async () => {
    await expect(mailpit.searchMessages({ query: "has:inline" })).rejects.toThrow("501");
    const elsewhere = { query: "after:2026-01-01", tz: "Pacific/Honolulu" };
    await expect(mailpit.searchMessages(elsewhere)).rejects.toThrow("501");
    await expect(mailpit.searchMessages({ query: "after:soon" })).rejects.toThrow("400");
    await expect(mailpit.searchMessages({ query: " " })).rejects.toThrow("400");
    await expect(mailpit.searchMessages({ query: "***" })).rejects.toThrow("400");
  });

  test("deletes what it finds", async () => {
    expect(await mailpit.deleteMessagesBySearch({ query: "addressed:other.test" })).toBe("ok");
    expect((await mailpit.listMessages()).messages.map(({ Subject }) => Subject)).toEqual(["Welcome aboard"]);
  });

  const MORE = [
    "-voice",
    "-cc:opy",
    "-tag:Welcome",
    "!larger:x",
    "cc:hidden",
    "has:attachment",
    "to:ann ***",
  ];
  test.each(MORE)("that may find more than in Mailpit deletes nothing: %s", async (query) => {
    await expect(mailpit.deleteMessagesBySearch({ query })).rejects.toThrow("501");
    expect((await mailpit.listMessages()).total).toBe(3);
  });

  test("can name the latest message", async () => {
    const answer = await fetch(
      `${mailkeep.url}/compat/mailpit/api/v1/message/latest?query=subject%3Ainvoice`,
    );
    expect(await answer.json()).toMatchObject({ Subject: "Invoice 4711" });
  });
});

test("waiting finds a mail that arrives during the wait", async () => {
  const one = mailpit.waitForMessage({ query: "subject:Late" }, { timeout: 20_000, interval: 20 });
  const two = mailpit.waitForMessages({ count: 2 }, { timeout: 20_000, interval: 20 });
  await mailkeep.receive(mail("Late"));
  await mailkeep.receive(mail("Later"));
  expect((await one).Subject).toStartWith("Late");
  expect((await two).messages_count).toBe(2);
});

test("read status is set by ids, by a search, and for all", async () => {
  const { id } = await mailkeep.receive(mail("One"));
  await mailkeep.receive(mail("Two"));
  const unread = async () => (await mailpit.listMessages()).unread;
  expect(await mailpit.setReadStatus({ IDs: [id], Read: true })).toBe("ok");
  expect(await unread()).toBe(1);
  await mailpit.setReadStatus({ Search: "subject:Two", Read: true });
  expect(await unread()).toBe(0);
  await mailpit.setReadStatus();
  expect(await unread()).toBe(2);
  await mailpit.setReadStatus({ Read: true });
  expect(await unread()).toBe(0);
  await expect(mailpit.setReadStatus({ IDs: [id], Search: "One" })).rejects.toThrow("400");
});

test("messages are deleted by ids, or all; a misspelt field deletes nothing", async () => {
  const { id } = await mailkeep.receive(mail("One"));
  await mailkeep.receive(mail("Two"));
  await expect(mailpit.deleteMessages({ Id: [id] } as never)).rejects.toThrow("400");
  expect((await mailpit.listMessages()).total).toBe(2);
  expect(await mailpit.deleteMessages({ IDs: [id] })).toBe("ok");
  expect((await mailpit.listMessages()).messages.map(({ Subject }) => Subject)).toEqual(["Two"]);
  expect(await mailpit.deleteMessages()).toBe("ok");
  expect((await mailpit.listMessages()).total).toBe(0);
  await expect(mailpit.getMessageSummary()).rejects.toThrow("404");
});

test("tags are listed, set, renamed and deleted", async () => {
  const { id } = await mailkeep.receive(mail("One"));
  const { id: other } = await mailkeep.receive(mail("Two"));
  expect(await mailpit.setTags({ IDs: [id, other], Tags: ["a tag", "b"] })).toBe("ok");
  expect(await mailpit.getTags()).toEqual(["a tag", "b"]);
  expect(await mailpit.renameTag("a tag", "c/d")).toBe("ok");
  expect((await mailpit.getMessageSummary(id)).Tags).toEqual(["c/d", "b"]);
  expect((await mailpit.searchMessages({ query: "tag:c/d" })).messages_count).toBe(2);
  expect((await mailpit.searchMessages({ query: "-tag:c/d" })).messages_count).toBe(0);
  expect(await mailpit.deleteTag("c/d")).toBe("ok");
  expect(await mailpit.getTags()).toEqual(["b"]);
  await mailpit.setTags({ IDs: [id] });
  expect((await mailpit.getMessageSummary(id)).Tags).toEqual([]);
});

test("a message is released through the relay, to recipients that its rules allow", async () => {
  await mailkeep.receive(mail("Out it goes"));
  expect(await mailpit.releaseMessage("latest", { To: ["new@example.com"] })).toBe("ok");
  expect(recorder.commands).toContain("RCPT TO:<new@example.com>");
  await expect(mailpit.releaseMessage("latest", { To: ["ann@denied.example"] })).rejects.toThrow("403");
  await expect(mailpit.releaseMessage("latest", { To: ["no body"] })).rejects.toThrow("must be an address");
});

test("a mail that cannot be sent says why", async () => {
  await expect(mailpit.sendMessage({ ...WELCOME, To: [{ Email: "no address" }] })).rejects.toThrow(
    "no address",
  );
  await expect(mailpit.sendMessage({ ...WELCOME, Headers: { Subject: "Twice" } })).rejects.toThrow(
    "headers.Subject",
  );
  await expect(mailpit.sendMessage({ To: WELCOME.To } as never)).rejects.toThrow("Field From");
  await expect(mailpit.sendMessage({ ...WELCOME, To: [{ Email: "" }] })).rejects.toThrow("Field To.0.Email");
});

test("fields are accepted in lower and upper case, as some clients send them", async () => {
  const mailed = { from: { email: "a@b.example" }, to: [{ EMAIL: "c@d.example" }], text: "Hi", tags: ["x"] };
  const { ID } = await mailpit.sendMessage(mailed as never);
  expect((await mailpit.getMessageSummary(ID)).Tags).toEqual(["x"]);
  await mailkeep.receive(mail("Stays"));
  await mailpit.deleteMessages({ ids: [ID] } as never);
  expect((await mailpit.listMessages()).messages.map(({ Subject }) => Subject)).toEqual(["Stays"]);
});

test("null stands for an absent field", async () => {
  const mailed = { From: { Email: "a@b.example", Name: null }, To: [{ Email: "c@d.example" }], Cc: null };
  const { ID } = await mailpit.sendMessage(mailed as never);
  await mailpit.setTags({ IDs: [ID], Tags: null } as never);
  await expect(mailpit.deleteMessages({ IDs: [null] } as never)).rejects.toThrow("IDs.0");
  await expect(mailpit.deleteMessages({ IDs: "x" } as never)).rejects.toThrow("must be an array.");
  expect((await mailpit.listMessages()).total).toBe(1);
  await mailpit.deleteMessages({ IDs: null } as never);
  expect((await mailpit.listMessages()).total).toBe(0);
});

test("chaos triggers become fault rules", async () => {
  const off = { ErrorCode: 451, Probability: 0 };
  const initial = { Sender: off, Recipient: off, Authentication: { ErrorCode: 535, Probability: 0 } };
  expect(await mailpit.getChaosTriggers()).toEqual(initial);
  const set = await mailpit.setChaosTriggers({ Recipient: { ErrorCode: 452, Probability: 100 } });
  expect(set).toEqual({ ...initial, Recipient: { ErrorCode: 452, Probability: 100 } });
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toMatchObject([
    { name: "mailpit-recipient", at: "rcpt", probability: 1, reply: { code: 452 } },
  ]);
  expect(await mailpit.setChaosTriggers()).toEqual(initial);
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toEqual([]);
});

test("the checks answer in Mailpit's shapes", async () => {
  await mailpit.sendMessage({
    ...WELCOME,
    HTML: '<div style="display:grid"><a href="http://127.0.0.1:9/">x</a><img src="http://127.0.0.1:9/a.png"></div>',
  });
  const html = await mailpit.htmlCheck();
  const grid = html.Warnings.find(({ Slug }) => Slug === "css-display-grid");
  expect(grid).toMatchObject({ Category: "css", URL: expect.stringContaining("css-display-grid") });
  expect(grid?.Results[0]).toMatchObject({ Support: "no", Family: expect.any(String) });
  expect(html.Total.Supported + html.Total.Unsupported).toBe(100);
  expect(html.Platforms.android).toContain("Gmail");
  const links = await mailpit.linkCheck();
  expect(links.Errors).toBe(links.Links.length);
  for (const URL of ["http://127.0.0.1:9/", "http://127.0.0.1:9/a.png"])
    expect(links.Links).toContainEqual({ URL, StatusCode: 0, Status: "127.0.0.1 is not public" });
  const spam = await mailpit.spamAssassinCheck();
  expect(spam).toMatchObject({
    IsSpam: false,
    Score: 0,
    Rules: [],
    Error: expect.stringContaining("--spamassassin"),
  });
});

test("information and configuration have Mailpit's fields", async () => {
  await mailpit.sendMessage(WELCOME);
  expect(await mailpit.getInfo()).toEqual({
    Version: "1.2.3",
    LatestVersion: "1.2.3",
    Database: "",
    DatabaseSize: expect.any(Number),
    Messages: 1,
    Unread: 1,
    Tags: { welcome: 1 },
    RuntimeStats: {
      Uptime: 61,
      Memory: expect.any(Number),
      MessagesDeleted: 0,
      SMTPAccepted: 0,
      SMTPAcceptedSize: 0,
      SMTPIgnored: 0,
      SMTPRejected: 0,
    },
  });
  expect(await mailpit.getConfiguration()).toEqual({
    Label: "",
    ChaosEnabled: true,
    SpamAssassin: false,
    DuplicatesIgnored: false,
    HideDeleteAllButton: false,
    MessageRelay: {
      Enabled: false,
      SMTPServer: "",
      ReturnPath: "",
      OverrideFrom: "",
      AllowedRecipients: "",
      BlockedRecipients: "",
      RecipientAllowlist: "",
      PreserveMessageIDs: true,
    },
  });
});

test("the WebSocket sends Mailpit's frames", async () => {
  const { socket, frames } = await listen(`${mailkeep.url}/compat/mailpit/api/events`);
  const { ID } = await mailpit.sendMessage({ ...WELCOME, Tags: [] });
  await mailpit.setReadStatus({ IDs: [ID], Read: true });
  await mailpit.setTags({ IDs: [ID], Tags: ["x"] });
  const { id } = await mailkeep.receive(mail("Other"));
  await mailpit.deleteMessages({ IDs: [ID] });
  await mailpit.deleteMessages();
  await until(() => frames.some((frame) => frame.includes("truncate")));
  socket.close();
  const told = frames.map((frame) => JSON.parse(frame));
  expect(told.filter(({ Type }) => Type !== "stats")).toMatchObject([
    { Type: "new", Data: { ID, Subject: "Welcome aboard", Attachments: 1, Snippet: expect.any(String) } },
    { Type: "update", Data: { ID, Read: true } },
    { Type: "update", Data: { ID, Tags: ["x"] } },
    { Type: "new", Data: { ID: id, Subject: "Other" } },
    { Type: "delete", Data: { ID } },
    { Type: "truncate", Data: null },
  ]);
});

test("the WebSocket leaves out a mail that was deleted before it could be read", async () => {
  await mailkeep.store.clear();
  const { socket, until } = await listen(`${mailkeep.url}/compat/mailpit/api/events`);
  await until(1);
  const raw = mailkeep.store.raw.bind(mailkeep.store);
  mailkeep.store.raw = async (id) => {
    await mailkeep.store.clear();
    return raw(id);
  };
  await mailkeep.receive(mail("Gone"));
  const [, told = ""] = await until(2);
  mailkeep.store.raw = raw;
  expect(JSON.parse(told)).toMatchObject({ Type: "stats", Data: { Total: 0 } });
  socket.close();
});
