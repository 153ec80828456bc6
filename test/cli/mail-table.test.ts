import { describe, expect, test } from "bun:test";
import { fit } from "../../src/cli/command/terminal.ts";
import { describeMailInFull } from "../../src/cli/commands/mails.ts";
import { mailTable } from "../../src/cli/remote/mail-table.ts";
import type { Mail, MessageSummary } from "../../src/client/index.ts";

const NOW = new Date(2026, 10, 17, 12);
const mail: MessageSummary = {
  id: "01KABCDEFGHJKMNPQRSTVWXYZ0",
  sender: "shop@example.com",
  recipients: ["ann@example.com", "bo@example.com"],
  subject: "Your order has been shipped and will be with you tomorrow",
  size: 100,
  has_attachments: true,
  is_read: false,
  is_starred: true,
  tags: [],
  created_at: new Date(2026, 10, 17, 9, 30, 5).toISOString(),
};

describe("the table of mails", () => {
  test("is cut to the width of the terminal", () => {
    expect(mailTable([mail], 80, NOW)).toBe(
      [
        "time      from              to                     subject\n",
        "09:30:05  shop@example.com  ann@example.… +1  ●★+  Your order has been shipped …\n",
      ].join(""),
    );
  });

  test.each([20, 40, 80, 119, 120, 200])("is no wider than %d columns", (width) => {
    const wide = { ...mail, subject: "漢字".repeat(100), sender: "漢".repeat(60) };
    const lines = mailTable([mail, wide], width, NOW).trimEnd().split("\n");
    expect(lines.filter((line) => Bun.stringWidth(line) > width)).toEqual([]);
  });

  test("shows ids if there is room, and cuts nothing without a terminal", () => {
    expect(mailTable([mail], 119, NOW)).not.toContain(mail.id);
    expect(mailTable([mail], 120, NOW)).toContain(mail.id);
    expect(mailTable([mail], Number.POSITIVE_INFINITY, NOW)).toContain(mail.subject);
  });

  test("shows the date of a mail that came on another day", () => {
    const older = { ...mail, created_at: new Date(2026, 0, 2, 3, 4, 5).toISOString() };
    expect(mailTable([older], 80, NOW)).toContain("\n2026-01-02 03:04  ");
  });

  test("takes no escape sequence from a mail", () => {
    const evil = { ...mail, subject: "\x1b[2J", sender: "\x1b]0;x\x07@x" };
    expect(mailTable([evil], Number.POSITIVE_INFINITY, NOW)).not.toMatch(/[\x1b\x07]/);
  });
});

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["漢字漢", 6, "漢字漢"],
  ["漢字漢", 5, "漢字…"],
  ["漢字漢", 4, "漢…"],
])("%p cut to %d columns is %p", (text, width, cut) => {
  expect(fit(text, width)).toBe(cut);
});

test("a whole mail is shown without its escape sequences, its lines kept", () => {
  const whole = {
    ...mail,
    text: "one\r\n\ttwo\rx\x1b[2J\n",
    codes: [],
    links: [],
    attachments: [],
  } as object;
  const headers = [
    { name: "Subject", value: "Hi\x1b[2J" },
    { name: "X-Other", value: "not shown" },
  ];
  const shown = describeMailInFull(whole as Mail, headers);
  expect(shown).toStartWith("Subject   Hi\ufffd[2J\n");
  expect(shown).toEndWith("\n\none\r\n\ttwo\ufffdx\ufffd[2J\n");
  expect(shown).not.toContain("X-Other");
});
