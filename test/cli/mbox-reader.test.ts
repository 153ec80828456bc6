import { describe, expect, test } from "bun:test";
import { type MboxQuoting, MboxReader } from "../../src/cli/mail/mbox-reader.ts";

const FROM = "From ann@example.com Sat Nov 14 10:00:00 2026\n";

function read(mbox: string, quoting: MboxQuoting = "rd", chunkSize = Number.POSITIVE_INFINITY): string[] {
  const bytes = Buffer.from(mbox, "latin1");
  const reader = new MboxReader(quoting);
  const mails: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize)
    mails.push(...reader.push(bytes.subarray(at, at + chunkSize)));
  return [...mails, ...reader.finish()].map((mail) => mail.toString("latin1"));
}

const cases: [name: string, mbox: string, quoting: MboxQuoting, mails: string[]][] = [
  ["nothing has no mail", "", "rd", []],
  ["one mail, without the empty line of the format", `${FROM}A: 1\n\nbody\n\n`, "rd", ["A: 1\n\nbody\n"]],
  ["two mails", `${FROM}A: 1\n\none\n\n${FROM}A: 2\n\ntwo\n\n`, "rd", ["A: 1\n\none\n", "A: 2\n\ntwo\n"]],
  ["the last mail may lack its empty line", `${FROM}A: 1\n\none`, "rd", ["A: 1\n\none"]],
  [
    "CRLF stays CRLF",
    `${FROM.replace("\n", "\r\n")}A: 1\r\n\r\none\r\n\r\n${FROM}A: 2\n\n`,
    "rd",
    ["A: 1\r\n\r\none\r\n", "A: 2\n"],
  ],
  [
    "empty lines inside a mail stay",
    `${FROM}A: 1\n\n\n\nx\n\n\n${FROM}A: 2\n\n`,
    "rd",
    ["A: 1\n\n\n\nx\n\n", "A: 2\n"],
  ],
  [
    "mboxrd loses one > of each quoted From",
    `${FROM}A: 1\n\n>From x\n>>From y\n>Fro\n`,
    "rd",
    ["A: 1\n\nFrom x\n>From y\n>Fro\n"],
  ],
  [
    "mboxo loses the > of >From only",
    `${FROM}A: 1\n\n>From x\n>>From y\n`,
    "o",
    ["A: 1\n\nFrom x\n>>From y\n"],
  ],
  [
    "From in the middle of a paragraph starts nothing",
    `${FROM}A: 1\n\nx\n${FROM}y\n`,
    "rd",
    [`A: 1\n\nx\n${FROM}y\n`],
  ],
  [
    "From without a time starts nothing",
    `${FROM}A: 1\n\nFrom now on, all is well.\n`,
    "rd",
    ["A: 1\n\nFrom now on, all is well.\n"],
  ],
  [
    "separators of other writers are known",
    "From - Sat Jan  3 01:05:34 1996\nA: 1\n\nFrom 1@xxx Thu Jan 01 00:00:00 +0000 2015\nA: 2\n\n",
    "rd",
    ["A: 1\n", "A: 2\n"],
  ],
  [
    "From alone starts a mail if a header field follows",
    `From \r\nA: 1\r\n\r\none\r\n\r\nFrom \r\nA: 2\r\n\r\nFrom \r\nall of us\r\n\r\nFrom \r\n`,
    "rd",
    ["A: 1\r\n\r\none\r\n", "A: 2\r\n\r\nFrom \r\nall of us\r\n\r\nFrom \r\n"],
  ],
  [
    "From alone before a time or an address of the web starts nothing",
    `${FROM}A: 1\n\nFrom \n12:30 Monday\n\nFrom \nhttps://x.test/\n`,
    "rd",
    ["A: 1\n\nFrom \n12:30 Monday\n\nFrom \nhttps://x.test/\n"],
  ],
  [
    "an address and a date need no empty line before them if a header field follows",
    `${FROM}A: 1\n\none\n${FROM}To: 2\n\nFrom ann: B: 3\nFrom ann at 10:00\nTo: 4\n${FROM}Note: 5\n`,
    "rd",
    ["A: 1\n\none\n", `To: 2\n\nFrom ann: B: 3\nFrom ann at 10:00\nTo: 4\n${FROM}Note: 5\n`],
  ],
  ["bytes above 127 stay", `${FROM}A: \xff\n\n\xe9\x00\n`, "rd", ["A: \xff\n\n\xe9\x00\n"]],
];

describe("an mbox is cut into mails", () => {
  test.each(cases)("%s", (_name, mbox, quoting, mails) => {
    expect(read(mbox, quoting)).toEqual(mails);
  });

  test.each(cases)("in the same way byte by byte: %s", (_name, mbox, quoting, mails) => {
    expect(read(mbox, quoting, 1)).toEqual(mails);
  });

  test("no piece of a line of a megabyte is taken for a separator", () => {
    const line = `${"x".repeat(1_000_000)}From a 10:00\n`;
    expect(read(`${FROM}A: 1\n\n${line}\n${FROM}A: 2\n\n`, "rd", 70_000)).toEqual([
      `A: 1\n\n${line}`,
      "A: 2\n",
    ]);
  });
});
