import { describe, expect, test } from "bun:test";
import { describeCaptured, keptName } from "../../src/cli/commands/run.ts";
import { formatVerdict, type Verdict } from "../../src/cli/remote/verdict.ts";
import type { MessageSummary } from "../../src/client/index.ts";

const verdict = (given: Partial<Verdict>): Verdict => ({
  command: "assert",
  expectation: 'exactly 1 mail with a subject containing "A & <B>"',
  result: "holds",
  text: "found 1",
  answer: { ok: true, count: 1 },
  seconds: 1.2345,
  ...given,
});

describe("a verdict", () => {
  test("as text goes to standard output when it is good, to standard error when it is not", () => {
    expect(formatVerdict(verdict({}), "text")).toEqual({ stdout: "✓ found 1\n" });
    expect(formatVerdict(verdict({ result: "fails", text: "none" }), "text")).toEqual({
      stderr: "✗ none\n",
    });
  });

  test("as JSON is the answer on one line", () => {
    const failed = verdict({ result: "fails", answer: { ok: false, count: 0 } });
    expect(formatVerdict(failed, "json")).toEqual({ stdout: '{"ok":false,"count":0}\n' });
  });

  test.each([
    ["holds", 'failures="0" errors="0"', null],
    [
      "fails",
      'failures="1" errors="0"',
      '<failure message="first &lt;line&gt;">first &lt;line&gt;\nsecond</failure>',
    ],
    [
      "error",
      'failures="0" errors="1"',
      '<error message="first &lt;line&gt;">first &lt;line&gt;\nsecond</error>',
    ],
  ] as const)("as JUnit is one test case: %s", (result, counts, problem) => {
    const { stdout } = formatVerdict(verdict({ result, text: "first <line>\nsecond" }), "junit");
    expect(stdout).toStartWith(
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="1" ${counts} time="1.234">`,
    );
    expect(stdout).toContain(
      '<testcase classname="mailkeep.assert" name="exactly 1 mail with a subject containing &quot;A &amp; &lt;B&gt;&quot;" time="1.234">',
    );
    if (problem) expect(stdout).toContain(problem);
    else expect(stdout).toContain('time="1.234"></testcase>');
  });

  test("as JUnit is valid XML for any characters in a mail", () => {
    const { stdout } = formatVerdict(verdict({ result: "fails", text: "a\x00\x1b[31m\ud800b😀" }), "junit");
    expect(stdout).toContain(">a\ufffd\ufffd[31m\ufffdb😀</failure>");
  });
});

describe("the table of captured mails", () => {
  const mail = (subject: string, ...recipients: string[]) => ({
    id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC",
    sender: "shop@x.test",
    recipients,
    subject,
    size: 1,
    has_attachments: false,
    is_read: false,
    is_starred: false,
    tags: [],
    created_at: "2026-11-14T10:00:00.000Z",
  });

  test("is in the order of arrival, and harmless for a terminal", () => {
    const mails = [mail("First", "ann@x.test"), mail("Second\x1b[2J", "bo@x.test", "c@x.test")];
    expect(describeCaptured(mails)).toBe(
      [
        "mailkeep: 2 mails were captured",
        "  to            from         subject",
        "  ann@x.test    shop@x.test  First",
        "  bo@x.test +1  shop@x.test  Second\ufffd[2J",
        "",
      ].join("\n"),
    );
  });

  test("is short", () => {
    const lines = describeCaptured(Array.from({ length: 50 }, () => mail("x".repeat(200), "a@x.test"))).split(
      "\n",
    );
    expect(lines).toHaveLength(24);
    expect(lines.at(-2)).toBe("  … and 30 more");
    for (const line of lines) expect(line.length).toBeLessThan(120);
  });

  test("says that no mail was captured", () => {
    expect(describeCaptured([])).toBe("mailkeep: no mail was captured\n");
  });
});

test.each([
  ["Welcome", "ann@x.test", "0001-welcome-ann"],
  ["Your order #12: it's Łódź!", "bo+shop@x.test", "0001-your-order-12-it-s-lodz-bo-shop"],
  ["../../etc/passwd", "a/b@x.test", "0001-etc-passwd-a-b"],
  ["漢字", "root", "0001-漢字-root"],
  ["", "", "0001"],
  ["x".repeat(300), "ann@x.test", `0001-${"x".repeat(40)}-ann`],
])("run keeps the mail %p to %p as %p", (subject, recipient, name) => {
  expect(keptName(1, { subject, recipients: [recipient] } as MessageSummary)).toBe(name);
});
