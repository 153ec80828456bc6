import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Inbox, MailkeepError } from "../../src/client/index.ts";
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
    const waiting = inbox.waitFor({ to: "one@x.test", subject: "grüße" }, { timeout: "5m" });
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

  test("names a misspelt operator of the search when no mail came", async () => {
    const hint = "Hint: form: is not a search operator, so it was searched for as text; did you mean from:?";
    expect(inbox.waitFor({ q: "form:zoe" }, { timeout: "0s" })).rejects.toThrow(hint);
    expect(inbox.expectCount({ q: "form:zoe" }, { min: 1 })).rejects.toThrow(hint);
  });

  test("a misspelt operator of the search does not prove that there is no mail", async () => {
    const asked = { q: "form:zoe" };
    const sentence =
      "Nothing was found, but the search was not understood. Quote text that contains a colon.\nHint: form: is not a search operator, so it was searched for as text; did you mean from:?";
    expect(inbox.expectCount(asked, { exactly: 0 })).rejects.toThrow(sentence);
    expect(inbox.count(asked)).rejects.toThrow(sentence);
    expect(inbox.list(asked)).rejects.toThrow(sentence);
    expect(inbox.latest(asked)).rejects.toThrow(sentence);
    expect(inbox.delete(asked)).rejects.toThrow(sentence);
    expect(inbox.export("mbox", asked)).rejects.toThrow(sentence);
    expect(await inbox.expectCount({ q: '"form:zoe"' }, { exactly: 0 })).toBe(0);
    const negated = { q: "-is:raed" };
    const tooMuch = "The search was not understood. Quote text that contains a colon.\nHint: -is: takes";
    expect(inbox.expectCount(negated, { min: 1 })).rejects.toThrow(tooMuch);
    expect(inbox.waitFor(negated)).rejects.toThrow(tooMuch);
    expect(inbox.delete(negated)).rejects.toThrow("-is: takes");
    const id = await send("note@x.test", "Subject: Note\r\n\r\nTotal:42\r\n");
    expect((await inbox.list({ q: "Total:42" })).map((mail) => mail.id)).toEqual([id]);
  });
});
