// The reader parses a message once and forgets it when it is deleted.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { MessageReader } from "../../src/app/index.ts";
import type { BodyParser } from "../../src/mime/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../http/support/mailkeep.ts";

let mailkeep: Mailkeep;
let reader: MessageReader;
let parses: number;
const found = async () => ({ found: [], parsed: true, mayImprove: false });
beforeEach(async () => {
  mailkeep = await startMailkeep();
  parses = 0;
  const bodyParser = {
    findLinks: found,
    findCodes: found,
    readHeaders: found,
    parse: async () => {
      parses++;
      return {
        text_body: "text",
        html_body: "<p>html</p>",
        text_is_derived: false,
        parsed: true,
        mayImprove: false,
      };
    },
  } as unknown as BodyParser;
  reader = new MessageReader({ store: mailkeep.store, bodyParser });
});
afterEach(() => mailkeep.stop());

test("a message is parsed once, however often it is read", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  await Promise.all([reader.message(id), reader.message(id), reader.bodies(id)]);
  await reader.message(id);
  expect(parses).toBe(1);
});

test("flags are always current, although bodies are cached", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  expect(await reader.message(id)).toMatchObject({ found: { is_read: false, text_body: "text" } });
  await mailkeep.store.update([id], { is_read: true });
  expect(await reader.message(id)).toMatchObject({ found: { is_read: true, text_body: "text" } });
  expect(parses).toBe(1);
});

test("a deleted message is also removed from the cache", async () => {
  const one = await mailkeep.receive(mail("one"));
  const two = await mailkeep.receive(mail("two"));
  await reader.message(one.id);
  await reader.message(two.id);
  await Promise.all([reader.links(one.id), reader.codes(one.id)]);
  await mailkeep.store.delete([one.id]);
  expect(await reader.bodies(one.id)).toBeNull();
  expect(await reader.links(one.id)).toBeNull();
  expect(await reader.codes(one.id)).toBeNull();
  expect(await reader.attachments(one.id)).toBeNull();
  expect(await reader.preview(one.id)).toBeNull();
  await mailkeep.store.clear();
  expect(await reader.bodies(two.id)).toBeNull();
});

test("an unknown id gives null", async () => {
  const id = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";
  const answers = await Promise.all([
    reader.message(id),
    reader.bodies(id),
    reader.headers(id),
    reader.authResults(id),
    reader.links(id),
    reader.codes(id),
    reader.safeHtml(id, { inline: "/", remote: false }),
  ]);
  expect(answers.every((answer) => answer === null)).toBe(true);
});
