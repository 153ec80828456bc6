// The people of a message, from its header and its envelope.
import { expect, test } from "bun:test";
import type { MessageHeader, MessageSummary } from "../../src/model/index.ts";
import { describePeople } from "../../src/web/message/people.ts";

const mail = (sender: string, recipients: string[]): MessageSummary => ({
  id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC",
  sender,
  recipients,
  subject: "",
  size: 1,
  has_attachments: false,
  is_read: false,
  is_starred: false,
  tags: [],
  created_at: "2026-11-14T10:00:00.123Z",
});

const field = (name: string, ...people: [name: string, address: string][]): MessageHeader => ({
  name,
  value: people.map(([name, address]) => `${name} <${address}>`).join(", "),
  addresses: people.map(([name, address]) => ({ name, address })),
});

const linesOf = (message: MessageSummary, headers: MessageHeader[]) =>
  describePeople(message, headers).map(
    ({ label, people, note }) =>
      `${label}: ${people.map(({ name, address }) => `${name}|${address}`).join(" ")}${note ? ` (${note})` : ""}`,
  );

test("a comma in a name does not make a second person", () => {
  const headers = [field("From", ["Müller, Hans", "hans@x.test"]), field("To", ["", "b@x.test"])];
  expect(linesOf(mail("hans@x.test", ["B@x.test"]), headers)).toEqual([
    "From: Müller, Hans|hans@x.test",
    "To: |b@x.test",
  ]);
});

test("a recipient whose address appears only in a name is a Bcc", () => {
  const headers = [field("From", ["", "a@x.test"]), field("TO", ["hidden@x.test,", "b@x.test"])];
  expect(linesOf(mail("a@x.test", ["b@x.test", "hidden@x.test"]), headers)).toEqual([
    "From: |a@x.test",
    "To: hidden@x.test,|b@x.test",
    "Bcc: |hidden@x.test (only in the envelope)",
  ]);
});

test("an envelope that differs from the header is shown", () => {
  expect(linesOf(mail("", ["b@x.test"]), [])).toEqual([
    "Envelope from: |<> (null sender) (no From in the header)",
    "Envelope to: |b@x.test (only in the envelope)",
  ]);
  expect(linesOf(mail("bounce@x.test", []), [field("From", ["A", "a@x.test"])])).toEqual([
    "From: A|a@x.test",
    "Envelope from: |bounce@x.test (differs from From)",
  ]);
});
