// A mail by HTTP: composed and stored as if it had come by SMTP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { onEvent } from "../../src/app/index.ts";
import type { FaultRule } from "../../src/model/index.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep({
    http: { limits: { maxWebsockets: 1, maxMessageBytes: 2_000_000, maxRecipients: 5 } },
  });
});
afterAll(() => mailkeep.stop());

const send = (body: object, by = mailkeep) =>
  by.call("/api/v1/send", { method: "POST", body: body as never });

test("a mail has everything from its description, and makes one event", async () => {
  const heard: string[] = [];
  const unsubscribe = onEvent(mailkeep.store, ({ type }) => void heard.push(type));
  const { status, json } = await send({
    from: "Shöp <shop@example.com>",
    to: ['"Ann, \\"A\\"" <ann@example.com>', "bob@example.com"],
    cc: ["carl@example.com"],
    bcc: ["hidden@example.com"],
    subject: "Größe ✉",
    text: "plain\r\n.\r\nend",
    html: "<p>rich</p>",
    headers: { "X-Order": "4711" },
    attachments: [
      {
        filename: "naïve.bin",
        content_type: "application/x-thing",
        content: Buffer.from([0, 1, 255]).toString("base64"),
      },
    ],
  });
  unsubscribe();
  expect(status).toBe(201);
  expect(heard).toEqual(["message:new"]);
  const { id } = json;
  expect((await mailkeep.call(`/api/v1/messages/${id}`)).json).toMatchObject({
    sender: "shop@example.com",
    recipients: ["ann@example.com", "bob@example.com", "carl@example.com", "hidden@example.com"],
    subject: "Größe ✉",
    html_body: "<p>rich</p>",
    has_attachments: true,
    is_read: false,
  });
  const { attachments } = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json;
  expect(attachments).toMatchObject([
    { filename: "naïve.bin", content_type: "application/x-thing", size: 3 },
  ]);
  const { text } = await mailkeep.call(`/api/v1/messages/${id}/raw`);
  expect(text).toContain("X-Order: 4711\r\n");
  expect(text).toContain('To: "Ann, \\"A\\"" <ann@example.com>, bob@example.com\r\n');
  expect(text).not.toMatch(/^bcc:/im);
  expect(text).toMatch(/^message-id: /im);
});

test("an address is kept once and as it is written, as with SMTP", async () => {
  const to = ["Ann@Bücher.example", "Ann@Bücher.example"];
  const { json } = await send({ from: "a@x.test", to });
  const { recipients } = (await mailkeep.call(`/api/v1/messages/${json.id}`)).json;
  expect(recipients).toEqual(["Ann@Bücher.example"]);
});

test("only a sender and one recipient are required", async () => {
  const { status, json } = await send({ from: "a@x.test", bcc: ["b@x.test"] });
  expect(status).toBe(201);
  expect(await mailkeep.store.get(json.id)).toMatchObject({ recipients: ["b@x.test"], subject: "" });
});

test("files and addresses that a mail names are not read", async () => {
  const html = '<img src="/etc/hostname"><img src="http://127.0.0.1:1/x">';
  const { json } = await send({ from: "a@x.test", to: ["b@x.test"], html });
  expect((await mailkeep.call(`/api/v1/messages/${json.id}`)).json.html_body.trim()).toBe(html);
});

test.each<[FaultRule, number, string]>([
  [{ name: "a", at: "mail", from: "shop@x.test", drop: true }, 503, "mail: 421 4.0.0 Connection dropped"],
  [
    { name: "a", at: "rcpt", to: "b@x.test", reply: { code: 450, text: "Busy" } },
    503,
    "rcpt: 450 4.0.0 Busy",
  ],
  [{ name: "a", at: "data", to: "b@x.test", reply: { code: 554, text: "No" } }, 403, "data: 554 5.0.0 No"],
  [
    { name: "a", at: "end", header: "X-A: 1", delay: "1ms", reply: { code: 451, text: "" } },
    503,
    "end: 451 4.0.0 ",
  ],
])("the fault %j refuses a mail by HTTP, once", async (rule, status, told) => {
  mailkeep.faults.replace([{ ...rule, client: "127.0.0.1", times: 1 }]);
  const request = { from: "shop@x.test", to: ["a@x.test", "b@x.test"], headers: { "X-A": "1" } };
  const error = `The fault a refused the mail at ${told}`;
  expect(await send(request)).toMatchObject({ status, json: { code: "refused_on_purpose", error } });
  expect((await send(request)).status).toBe(201);
  mailkeep.faults.replace([]);
});

test("a mail by HTTP that a fault refuses is among the rejections", async () => {
  mailkeep.faults.replace([{ name: "a", at: "rcpt", to: "b@x.test", reply: { code: 550 }, times: 1 }]);
  await send({ from: "shop@x.test", to: ["a@x.test", "b@x.test"] });
  const [rejection] = mailkeep.transcripts.rejections(1).rejections;
  expect(rejection).toMatchObject({
    stage: "rcpt",
    reply: "550 5.0.0 Refused on purpose by a",
    sender: "shop@x.test",
    recipients: ["b@x.test"],
  });
});

describe("a mail that cannot be sent is refused", () => {
  const whole = { from: "a@x.test", to: ["b@x.test"] };
  test.each<[string, object]>([
    ["Field from of the request body is missing.", { to: ["b@x.test"] }],
    [
      "Field to of the request body must name a recipient, unless cc or bcc does.",
      { from: "a@x.test", to: [] },
    ],
    [
      "Field to of the request body has more than 5 recipients together with cc and bcc.",
      { ...whole, cc: Array(5).fill("c@x.test") },
    ],
    ["Field subjet of the request body is not known here; did you mean subject?", { ...whole, subjet: "x" }],
    [
      "Field to.0 of the request body must be an address such as ann@example.com or Ann <ann@example.com>.",
      { ...whole, to: ["a@x.test\r\nRCPT TO:<c@x.test>"] },
    ],
    ["Field attachments.0 of the request body must be an object.", { ...whole, attachments: ["x"] }],
    [
      "Field attachments.0.content of the request body must be bytes in base64.",
      { ...whole, attachments: [{ filename: "a", content: "not base64!" }] },
    ],
    [
      "Field attachments.0.content_type of the request body must be a type such as text/plain, with parameters if " +
        "need be, and not multipart.",
      { ...whole, attachments: [{ filename: "a", content: "", content_type: "text/plain\r\nX-A: b" }] },
    ],
    [
      "Field attachments.0.content_type of the request body must be a type such as text/plain, with parameters if " +
        "need be, and not multipart.",
      { ...whole, attachments: [{ filename: "a", content: "", content_type: "Multipart/mixed" }] },
    ],
    [
      "Field headers.CC of the request body cannot be given here: use the field cc.",
      { ...whole, headers: { CC: "c@x.test" } },
    ],
    [
      "Field headers.X-A of the request body must be text without line breaks or other control characters.",
      { ...whole, headers: { "X-A": "a\r\nBcc: evil@example.com" } },
    ],
    [
      "Field headers.X A of the request body must have a name of ASCII letters, digits and signs without spaces and colons.",
      { ...whole, headers: { "X A": "a" } },
    ],
    [
      "Field headers.Content-Type of the request body cannot be given: it follows from text, html and attachments.",
      { ...whole, headers: { "Content-Type": "text/html" } },
    ],
    ["Field text of the request body must be a string.", { ...whole, text: { path: "/etc/hostname" } }],
  ])("%s", async (error, body) => {
    expect(await send(body)).toMatchObject({ status: 400, json: { error, code: "invalid_body" } });
  });

  test.each<[string, string, object]>([
    ["to.1", "nope", { ...whole, to: ["good@x.y", "nope"] }],
    ["from", "not an address", { ...whole, from: "not an address" }],
    ["bcc.0", "x y@z", { ...whole, bcc: ["x y@z"] }],
    ["cc.0", "b@x.test, c@x.test", { ...whole, cc: ["b@x.test, c@x.test"] }],
    ["cc.0", "Ann <b@x.test>, Bob <c@x.test>", { ...whole, cc: ["Ann <b@x.test>, Bob <c@x.test>"] }],
    ["to.0", `${"a".repeat(100)}…`, { ...whole, to: [`${"a".repeat(600)}@x.test`] }],
  ])("%s, which is not an address: %s", async (field, shown, body) => {
    const error =
      `Field ${field} of the request body cannot be "${shown}": it must be one address such as ` +
      "ann@example.com or Ann <ann@example.com>, of at most 512 octets.";
    expect(await send(body)).toMatchObject({ status: 400, json: { error, code: "invalid_body" } });
  });

  test("a mail above the limit of SMTP is 413, and a large one below it is stored", async () => {
    const content = Buffer.alloc(1_400_000).toString("base64");
    expect((await send({ ...whole, attachments: [{ filename: "a", content }] })).status).toBe(201);
    const escaped = "\\u0431".repeat(700_000);
    const rawBody = JSON.stringify({ ...whole, text: "" }).replace('"text":""', `"text":"${escaped}"`);
    expect((await mailkeep.call("/api/v1/send", { method: "POST", rawBody })).status).toBe(201);
    const text = "x".repeat(2_000_001);
    expect(await send({ ...whole, text })).toMatchObject({
      status: 413,
      json: { code: "message_too_large" },
    });
    expect(await send({ ...whole, text: text.repeat(3) })).toMatchObject({
      status: 413,
      json: { code: "body_too_large" },
    });
  });
});
