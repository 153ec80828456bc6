import { describe, expect, test } from "bun:test";
import { composeMail, normalizeInput, parseSendmailArguments } from "../../src/cli/mail/sendmail.ts";

describe("sendmail's arguments", () => {
  const plain = {
    speaksSmtp: false,
    readsRecipients: false,
    ignoresDots: false,
    sender: null,
    fullName: null,
    recipients: [],
    longFlags: [],
  };
  const cases: [args: string[], expected: Partial<typeof plain> | Record<string, unknown>][] = [
    [["-t", "-i"], { readsRecipients: true, ignoresDots: true }],
    [["-ti"], { readsRecipients: true, ignoresDots: true }],
    [["-oi", "a@x.test"], { ignoresDots: true, recipients: ["a@x.test"] }],
    [["-o", "i"], { ignoresDots: true }],
    [["-fme@x.test", "a@x.test"], { sender: "me@x.test", recipients: ["a@x.test"] }],
    [["-f", "me@x.test"], { sender: "me@x.test" }],
    [["-f", "<>"], { sender: "" }],
    [["-f", "Ann Lee <me@x.test>"], { sender: "me@x.test" }],
    [["-r", "me@x.test"], { sender: "me@x.test" }],
    [["-F", "Ann Lee", "-t"], { fullName: "Ann Lee", readsRecipients: true }],
    [["-oem", "-v", "-B8BITMIME", "-bm", "-N", "never", "a@x.test"], { recipients: ["a@x.test"] }],
    [["a@x.test,b@x.test", "c@x.test"], { recipients: ["a@x.test", "b@x.test", "c@x.test"] }],
    [["--smtp", "h:1", "a@x.test"], { longFlags: ["--smtp", "h:1"], recipients: ["a@x.test"] }],
    [["--smtp=h:1", "-t"], { longFlags: ["--smtp=h:1"], readsRecipients: true }],
    [["-Am", "-Ac", "-D", "log", "-d0.1", "-d", "a@x.test"], { recipients: ["a@x.test"] }],
    [["--", "-a@x.test"], { recipients: ["-a@x.test"] }],
    [["-bs", "-i"], { speaksSmtp: true, ignoresDots: true }],
  ];
  test.each(cases)("%p", (args, expected) => {
    expect(parseSendmailArguments(args)).toEqual({ ...plain, ...expected });
  });

  test.each([
    [["-f"], "-f needs a value"],
    [["-bp"], "-bp is not supported: mailkeep send sends one mail and has no queue"],
    [["-q15m"], "-q15m is not supported: mailkeep send sends one mail and has no queue"],
    [["-tq"], "-q is not supported"],
    [["-Z"], "unknown flag -Z; see 'mailkeep help send'"],
  ])("%p is a mistake", (args, problem) => {
    expect(() => parseSendmailArguments(args)).toThrow(problem);
  });
});

describe("standard input", () => {
  test.each([
    ["bare line feeds become CRLF", "a\nb\n", true, "a\r\nb\r\n"],
    ["CRLF stays as it is", "a\r\nb\n", true, "a\r\nb\r\n"],
    ["a last line without a line end gets none", "a\nb", true, "a\r\nb"],
    ["a bare CR stays", "a\rb\n", true, "a\rb\r\n"],
    ["a single dot ends the mail", "a\n.\nb\n", false, "a\r\n"],
    ["a single dot at the very start ends it, too", ".\nb\n", false, ""],
    ["a single dot stays with -i", "a\n.\nb\n", true, "a\r\n.\r\nb\r\n"],
    ["bytes above 127 stay", "\xff\xfe\n", false, "\xff\xfe\r\n"],
  ])("%s", (_name, input, ignoresDots, expected) => {
    expect(normalizeInput(Buffer.from(input, "latin1"), ignoresDots)).toBe(expected);
  });
});

describe("the mail that is sent", () => {
  const compose = (input: string, args: string[]) => {
    const { envelope, bytes } = composeMail(Buffer.from(input), parseSendmailArguments(args), "me");
    return { ...envelope, text: bytes.toString() };
  };

  test("with -t goes to everyone in To, Cc and Bcc, and Bcc is gone with its folded lines", () => {
    const input =
      'From: Shop <shop@x.test>\nTo: Ann <ann@x.test>, "Lee, Bo" <bo@x.test>\nBcc: c@x.test,\n d@x.test\nCc: Team: e@x.test, ann@x.test;\nSubject: s\n\nBcc: not@x.test\n';
    expect(compose(input, ["-t"])).toEqual({
      sender: "shop@x.test",
      recipients: ["ann@x.test", "bo@x.test", "c@x.test", "d@x.test", "e@x.test"],
      text: 'From: Shop <shop@x.test>\r\nTo: Ann <ann@x.test>, "Lee, Bo" <bo@x.test>\r\nCc: Team: e@x.test, ann@x.test;\r\nSubject: s\r\n\r\nBcc: not@x.test\r\n',
    });
  });

  test("with -t goes to the Resent- recipients, and not again to the original ones", () => {
    const input =
      "Resent-To: c@x.test\nResent-Bcc: d@x.test\nFrom: a@x.test\nTo: b@x.test\nBcc: e@x.test\n\n";
    expect(compose(input, ["-t"])).toEqual({
      sender: "a@x.test",
      recipients: ["c@x.test", "d@x.test"],
      text: "Resent-To: c@x.test\r\nFrom: a@x.test\r\nTo: b@x.test\r\n\r\n",
    });
  });

  test("with -t goes to the original recipients if Resent-To is empty", () => {
    const { recipients } = compose("Resent-To:\nResent-From: a@x.test\nTo: b@x.test\n\n", ["-t"]);
    expect(recipients).toEqual(["b@x.test"]);
  });

  test("keeps a sender and recipients without a domain, which are local users", () => {
    const { sender, recipients } = compose("From: root (Cron Daemon)\nTo: root, a@x.test\n\n", ["-t"]);
    expect([sender, ...recipients]).toEqual(["root", "root", "a@x.test"]);
  });

  test("without -t goes only to the named recipients, and Bcc stays", () => {
    const { recipients, text } = compose("To: a@x.test\nBcc: b@x.test\n\nx", ["c@x.test"]);
    expect(recipients).toEqual(["c@x.test"]);
    expect(text).toBe("To: a@x.test\r\nBcc: b@x.test\r\n\r\nx");
  });

  test.each([
    ["-f", "From: a@x.test\n\n", ["-f", "b@x.test", "r"], "b@x.test"],
    ["Sender before From", "From: a@x.test\nSender: s@x.test\n\n", ["r"], "s@x.test"],
    ["From", "From: a@x.test\n\n", ["r"], "a@x.test"],
    ["the user", "Subject: s\n\n", ["r"], "me"],
  ])("has as its sender: %s", (_name, input, args, sender) => {
    expect(compose(input, args).sender).toBe(sender);
  });

  test("gets a From field with -F only if it has none", () => {
    expect(compose("Subject: s\n\n", ["-F", 'Ann "A" Lee', "-f", "a@x.test", "r"]).text).toBe(
      'From: "Ann A Lee" <a@x.test>\r\nSubject: s\r\n\r\n',
    );
    expect(compose("From: b@x.test\n\n", ["-F", "Ann", "r"]).text).toBe("From: b@x.test\r\n\r\n");
  });

  test.each([
    ["text\n", 'From: "Ann" <me>\r\n\r\ntext\r\n'],
    ["\ntext\n", 'From: "Ann" <me>\r\n\r\ntext\r\n'],
    ["Subject: x\n\ntext\n", 'From: "Ann" <me>\r\nSubject: x\r\n\r\ntext\r\n'],
  ])("gets a From field with -F, which a text without a header became part of: %p", (input, expected) => {
    expect(compose(input, ["-F", "Ann", "a@x.test"]).text).toBe(expected);
  });

  test("keeps the byte order mark at its beginning, which hid the first field", () => {
    const bare = "Bcc: b@x.test\r\nFrom: a@x.test\r\n\r\n";
    expect(compose(`\ufeff${bare}`, ["-t"])).toEqual({
      sender: "a@x.test",
      recipients: ["b@x.test"],
      text: "\ufeffFrom: a@x.test\r\n\r\n",
    });
    expect(compose("\ufeffTo: b@x.test\r\n\r\n", ["-t", "-F", "Ann"]).text).toBe(
      '\ufeffFrom: "Ann" <me>\r\nTo: b@x.test\r\n\r\n',
    );
  });

  test("never takes an address that could smuggle in an SMTP command", () => {
    const { recipients } = compose('To: "x\rRCPT TO:<evil@x.test>"@y.test, ok@x.test\n\n', ["-t"]);
    for (const recipient of recipients) expect(recipient).not.toMatch(/[\r\n<>]/);
    expect(recipients).toContain("ok@x.test");
  });
});
