import { describe, expect, test } from "bun:test";
import { type ArrivalTagging, HeaderStart, tagsOf as tagsOfMail } from "../../src/app/arrival.ts";

const MAIL = "Subject: s\r\nX-Tags: one, =?utf-8?q?zw=C3=B6lf?=,, one\r\nx-tags: two\r\n\r\nX-Tags: body\r\n";

function tagsOf(tagging: ArrivalTagging, recipients: string[], pieces: string[] = [MAIL]): string[] {
  const start = new HeaderStart();
  for (const piece of pieces) start.push(Buffer.from(piece));
  return [...tagsOfMail(tagging, recipients, start.bytes)];
}

describe("plus-addresses", () => {
  const on = { plusAddresses: true, header: undefined };
  test.each([
    [["user+checkout@example.com"], ["checkout"]],
    [["user@example.com"], []],
    [["user+@example.com"], []],
    [
      ["a+one@x", "b+two@x", "c+one@x"],
      ["one", "two"],
    ],
    [["a+b+c@x"], ["b+c"]],
    [['"u+q r"@x'], ["q r"]],
    [['"u+q\\"r"@x'], ['q"r']],
    [[`a+${"x".repeat(51)}@x`], []],
    [Array.from({ length: 30 }, (_, n) => `a+t${n}@x`), Array.from({ length: 20 }, (_, n) => `t${n}`)],
  ] as [string[], string[]][])("%p are tagged %p", (recipients, tags) => {
    expect(tagsOf(on, recipients)).toEqual(tags);
  });

  test("are not tags unless the settings ask for them", () => {
    expect(tagsOf({ plusAddresses: false, header: undefined }, ["a+b@x"])).toEqual([]);
  });
});

describe("a tagging header", () => {
  const on = { plusAddresses: false, header: "X-TAGS" };

  test("gives its words, decoded, each once, from every such field, but not from the body", () => {
    expect(tagsOf(on, ["a@x"])).toEqual(["one", "zwölf", "two"]);
  });

  test("is found for any chunks of the message", () => {
    expect(tagsOf(on, ["a@x"], [...MAIL])).toEqual(["one", "zwölf", "two"]);
  });

  test("comes after the plus-addresses", () => {
    expect(tagsOf({ ...on, plusAddresses: true }, ["a+first@x"])).toEqual(["first", "one", "zwölf", "two"]);
  });
});
