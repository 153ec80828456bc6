// Inboxes that the client creates, uses and removes on a shared server.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect } from "../../src/client/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../http/support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeEach(async () => {
  mailkeep = await startMailkeep();
});
afterEach(() => mailkeep.stop());

test("two tests at the same time see only their own mail and leave nothing behind", async () => {
  const server = connect({ url: mailkeep.url, since: "all" });
  {
    await using first = await server.createInbox();
    await using second = await server.createInbox({ name: "second", max_messages: 5 });
    for (const { address, name } of [first, second])
      await mailkeep.receive(mail(`for ${name}`), { recipients: [address] });
    expect((await first.waitFor()).subject).toBe(`for ${first.name}`);
    expect((await second.list()).map(({ subject }) => subject)).toEqual(["for second"]);
    await first.clear();
    expect([await first.count(), await second.count(), await server.count()]).toEqual([0, 1, 1]);
    expect(second.smtp.url).toBe(`smtp://second:${second.token}@127.0.0.1:1025`);
    expect((await server.inboxes()).map(({ name }) => name)).toEqual(["default", "second", first.name]);
  }
  expect([await server.count(), (await server.inboxes()).length]).toEqual([0, 1]);
});

test("after an inbox was removed, the error says that its token has ended", async () => {
  const inbox = await connect({ url: mailkeep.url }).createInbox({ name: "ci" });
  await inbox.remove();
  await expect(inbox.list()).rejects.toThrow("the token of an inbox ends when the inbox is removed");
});

test("an inbox can be chosen by its name", async () => {
  const server = connect({ url: mailkeep.url, since: "all" });
  await server.createInbox({ name: "ci", expires: null });
  await mailkeep.receive(mail("mine"), { inbox: "ci" });
  await mailkeep.receive(mail("other"));
  const ci = connect({ url: mailkeep.url, inbox: "ci", since: "all" });
  expect((await ci.list()).map(({ subject }) => subject)).toEqual(["mine"]);
  const missing = connect({ url: mailkeep.url, inbox: "nothing", since: "all" });
  await expect(missing.count()).rejects.toMatchObject({ code: "unknown_inbox" });
  await expect(server.createInbox({ name: "ci" })).rejects.toMatchObject({ code: "inbox_exists" });
});

test("blank and unknown options are refused", async () => {
  const server = connect({ url: mailkeep.url, since: "all" });
  for (const name of [undefined, null, ""])
    await expect(server.createInbox({ name } as object)).rejects.toThrow(
      /^name is (undefined|null|empty): give/,
    );
  await expect(server.createInbox(5 as unknown as object)).rejects.toThrow("options are an object");
  expect(() => connect({ token: "" })).toThrow(new TypeError("token is empty: give a token or leave it out"));
  expect(() => connect({ inbox: undefined } as object)).toThrow("inbox is undefined: give a name or leave");
  const request = { name: "x", role: "read" as const, inbox: undefined as unknown as string };
  await expect(server.tokens.create(request)).rejects.toThrow(
    "inbox is undefined: give a name or leave it out",
  );
  await expect(server.createInbox({ nam: "x" } as object)).rejects.toThrow("unknown option 'nam'");
});
