// Content that several clients download at the same time is in memory once.
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

const SIZE = 20_000_000;

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
});
afterAll(() => mailkeep.stop());

test("two downloads of the same part share memory: each used to hold a decoded copy", async () => {
  const headers = ["Content-Type: application/pdf", "Content-Transfer-Encoding: base64"];
  const { id } = await mailkeep.receive(mail("File", Buffer.alloc(SIZE, "abc").toString("base64"), headers));
  const { attachments } = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json;
  const path = `/api/v1/messages/${id}/attachments/${attachments[0].id}`;
  const opened = spyOn(mailkeep.reader, "open");
  const answers = await Promise.all([mailkeep.call(path), mailkeep.call(path)]);
  for (const { status, text } of answers)
    expect([status, text.length, text.slice(0, 6)]).toEqual([200, SIZE, "abcabc"]);
  expect(opened).toHaveBeenCalledTimes(1);
  opened.mockRestore();
});
