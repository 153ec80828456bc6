import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Inbox, type InboxEvent, MailkeepError } from "../../src/client/index.ts";
import { type Running, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

let server: Running;
let inbox: Inbox;
beforeAll(async () => {
  server = await startMailkeep({ args: ["--http-auth=ann:p@ss"] });
  inbox = connect(server.http.replace("://", "://ann:p%40ss@"));
});
afterAll(() => server.stop());

const RAW = [
  "From: Shop <shop@x.test>",
  "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "Content-Type: text/html; charset=utf-8",
  "",
  '<p>Your code: <b>482913</b></p><a href="https://x.test/go">Go</a>',
  "--b",
  "Content-Type: text/plain",
  "Content-Disposition: attachment; filename=note.txt",
  "Content-Transfer-Encoding: base64",
  "",
  "aGVsbG8=",
  "--b--",
  "",
].join("\r\n");

const send = (to: string, raw = RAW) => deliver(server.smtpPort, { from: "shop@x.test", to: [to], raw });

describe("the client against a real server that asks for credentials", () => {
  test("waits for a mail and reads everything out of it", async () => {
    const waiting = inbox.waitFor({ to: "one@x.test", subject: "grüße" }, { timeout: "20s" });
    const id = await send("one@x.test");
    const mail = await waiting;
    expect(mail).toMatchObject({ id, subject: "Grüße", code: "482913", has_attachments: true });
    expect(mail.text).toContain("482913");
    expect(mail.html).toContain("<b>482913</b>");
    expect(mail.links).toEqual([{ url: "https://x.test/go", text: "Go", where: "html", rel: [] }]);
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(["note.txt"]);
    expect(await mail.attachments[0]?.text()).toBe("hello");
    expect(Buffer.from(await mail.raw()).toString()).toBe(RAW);
    expect(mail.from).toEqual({ name: "Shop", address: "shop@x.test" });
    expect(mail.headers()).toContainEqual({ name: "Subject", value: "Grüße" });
    expect(await mail.update({ tags: ["seen"] })).toMatchObject({ id, tags: ["seen"] });
    expect(await inbox.count({ tag: "seen" })).toBe(1);
    await mail.delete();
    expect(await inbox.latest({ to: "one@x.test" })).toBeNull();
    expect(inbox.get(id)).rejects.toBeInstanceOf(MailkeepError);
  });

  test("keeps tests apart that run at the same time", async () => {
    const [ann, bo] = [inbox.only({ to: "ann@x.test" }), inbox.only({ to: "bo@x.test" })];
    for (const to of ["ann@x.test", "bo@x.test", "ann@x.test"]) await send(to);
    expect(await ann.list()).toHaveLength(2);
    expect(await ann.clear()).toBe(2);
    expect(await ann.count()).toBe(0);
    expect(await bo.expectCount({}, { exactly: 1, settle: "20ms" })).toBe(1);
    expect(await bo.clear()).toBe(1);
  });

  test("finds a mail by the addresses of its header", async () => {
    const raw = "From: Shop <news@x.test>\r\nTo: Team <team@x.test>\r\nSubject: Hi\r\n\r\n";
    const id = await send("header@x.test", raw);
    const found = await inbox.list({ headerFrom: "news@x.test", headerTo: "team@x.test" });
    expect(found.map((mail) => mail.id)).toEqual([id]);
    expect(inbox.waitFor({ headerTo: "header@x.test" }, { timeout: "0s" })).rejects.toThrow(
      '"Hi" from shop@x.test to header@x.test (differs in To header)',
    );
  });

  test("names a misspelt operator of the search when no mail came", async () => {
    const hint = "Hint: form: is not a search operator, so it was searched for as text; did you mean from:?";
    expect(inbox.waitFor({ q: "form:zoe" }, { timeout: "0s" })).rejects.toThrow(hint);
    expect(inbox.expectCount({ q: "form:zoe" }, { min: 1 })).rejects.toThrow(hint);
  });

  test("a misspelt operator of the search does not prove that there is no mail", async () => {
    const asked = { q: "form:zoe" };
    const sentence =
      "Nothing was found, but the search was not understood: form: is not a search operator, so it was searched for as text; did you mean from:?";
    expect(inbox.expectCount(asked, { exactly: 0 })).rejects.toThrow(sentence);
    expect(inbox.count(asked)).rejects.toThrow(sentence);
    expect(inbox.list(asked)).rejects.toThrow(sentence);
    expect(inbox.latest(asked)).rejects.toThrow(sentence);
    expect(inbox.delete(asked)).rejects.toThrow(sentence);
    expect(inbox.export("mbox", asked)).rejects.toThrow(sentence);
    expect(await inbox.expectCount({ q: '"form:zoe"' }, { exactly: 0 })).toBe(0);
    const id = await send("note@x.test", "Subject: Note\r\n\r\nTotal:42\r\n");
    expect((await inbox.list({ q: "Total:42" })).map((mail) => mail.id)).toEqual([id]);
  });

  test("lists more than one page, newest first", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 205; n++) ids.unshift(await send("many@x.test", `Subject: ${n}\r\n\r\n`));
    const many = inbox.only({ to: "many@x.test" });
    expect((await many.list()).map(({ id }) => id)).toEqual(ids);
    expect(await many.list({}, { limit: 3 })).toHaveLength(3);
    expect((await many.list({ since: ids[2] ?? "" })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    await many.clear();
  });

  test("hears every event after subscribe", async () => {
    const events: InboxEvent[] = [];
    const { promise: cleared, resolve } = Promise.withResolvers<void>();
    const subscription = await inbox.subscribe((event) => {
      events.push(event);
      if (event.type === "messages:clear") resolve();
    });
    const id = await send("live@x.test");
    await connect({ url: server.http.replace("://", "://ann:p%40ss@"), since: "all" }).clear();
    await cleared;
    expect(events.map(({ type }) => type)).toEqual(["message:new", "messages:clear"]);
    expect(events[0]).toMatchObject({ data: { id, recipients: ["live@x.test"] } });
    subscription.close();
    await subscription.closed;
  });

  test("says that the credentials are missing", async () => {
    const error = await connect(server.http)
      .count()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailkeepError);
    expect(error).toMatchObject({ status: 401 });
  });
});
