// The sizes, lines and common words of the mails that the bench sends.
import { expect, test } from "bun:test";
import { COMMON_WORDS, type MailKind, mailsOf } from "../../scripts/bench/mails.ts";

const sizes: readonly [MailKind, number, number][] = [
  ["small", 400, 1500],
  ["2 KB", 1900, 2200],
  ["2 KB prose", 1900, 2200],
  ["5 KB multipart", 4500, 5500],
  ["200 KB attachment", 195_000, 210_000],
];

for (const [kind, least, most] of sizes) {
  test(`a mail of the kind '${kind}' has between ${least} and ${most} bytes, and each number gives a different mail`, () => {
    const build = mailsOf(kind);
    expect(build(1).length).toBeWithin(least, most);
    expect(build(1).equals(build(2))).toBe(false);
    expect(build(1).equals(mailsOf(kind)(1))).toBe(true);
  });

  test(`no line of the kind '${kind}' begins with a dot or ends without CR LF`, () => {
    const text = mailsOf(kind)(10).toString("latin1");
    expect(text).not.toMatch(/^\./m);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(text).toEndWith("\r\n");
  });
}

test("every common word is in half of the small mails", () => {
  const build = mailsOf("small");
  const texts = Array.from({ length: 100 }, (_, at) => build(at + 1).toString("latin1"));
  for (const word of COMMON_WORDS) expect(texts.filter((text) => text.includes(word)).length).toBe(50);
});
