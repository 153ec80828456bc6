// Tests the ledger of the kill test: it must notice every way in which a mailbox can be wrong.
import { expect, test } from "bun:test";
import type { Summary } from "../../support/mailbox.ts";
import { Ledger } from "./support/ledger.ts";

const RAW = Buffer.from("Subject: a\r\n\r\n");

const shown = (subject: string, differing: Partial<Summary> = {}): Summary => ({
  id: `id-${subject}`,
  sender: "",
  recipients: [],
  subject,
  size: RAW.length,
  has_attachments: false,
  is_read: false,
  is_starred: false,
  tags: [],
  created_at: "",
  ...differing,
});

function ledgerOf(...subjects: string[]): Ledger {
  const ledger = new Ledger();
  for (const subject of subjects) {
    ledger.send(subject, RAW);
    ledger.stored(subject, `id-${subject}`);
  }
  return ledger;
}

test("a mailbox that matches the answers has no differences", () => {
  expect(ledgerOf("a", "b").differences([shown("b"), shown("a")])).toEqual([]);
});

test.each([
  ["lost", [shown("a")]],
  ["twice", [shown("a"), shown("b"), shown("b")]],
  ["nobody sent", [shown("a"), shown("b"), shown("c")]],
  ["another id", [shown("a"), shown("b", { id: "id-c" })]],
  ["bytes", [shown("a"), shown("b", { size: 1 })]],
  ["marked", [shown("a"), shown("b", { is_starred: true })]],
])("a mail that is wrong is noticed: %s", (word, found) => {
  expect(ledgerOf("a", "b").differences(found).join()).toContain(word);
});

test("a mail that was not answered may be there or not", () => {
  const ledger = ledgerOf("a");
  ledger.send("open", RAW);
  expect(ledger.differences([shown("a")])).toEqual([]);
  expect(ledger.differences([shown("a"), shown("open")])).toEqual([]);
});

test("a deletion that was answered holds; one that was not may hold", () => {
  const ledger = ledgerOf("a");
  ledger.delete("a");
  expect(ledger.differences([])).toEqual([]);
  expect(ledger.differences([shown("a")])).toEqual([]);
  ledger.deleted("a");
  expect(ledger.differences([shown("a")])).toEqual(["a came back"]);
});

test("a clear removes all mail that was there before, or none", () => {
  const ledger = ledgerOf("a", "b");
  const clear = ledger.clear();
  expect(ledger.differences([])).toEqual([]);
  expect(ledger.differences([shown("a"), shown("b")])).toEqual([]);
  expect(ledger.differences([shown("a")])).toEqual(["a clear was half done: 1 of 2 are left"]);
  clear.done();
  ledger.send("c", RAW);
  ledger.stored("c", "id-c");
  expect(ledger.differences([shown("c")])).toEqual([]);
  expect(ledger.differences([])).toEqual(["c is lost"]);
  expect(ledger.differences([shown("a"), shown("c")])).toEqual(["a came back"]);
});
