// Dot-stuffing, and the refusal of mails that might end early, do not depend on how a mail is cut.
import { describe, expect, test } from "bun:test";
import { DeliveryError } from "../../src/smtp-client/delivery-error.ts";
import { DotStuffer } from "../../src/smtp-client/dot-stuffer.ts";

function stuff(message: string, cut: (text: string) => string[]): string {
  const stuffer = new DotStuffer();
  const pieces = cut(message).map((piece) =>
    Buffer.from(stuffer.push(Buffer.from(piece, "latin1"))).toString("latin1"),
  );
  return pieces.join("") + stuffer.finish();
}

const cases: [string, string][] = [
  ["", ".\r\n"],
  [".", "..\r\n.\r\n"],
  [".\r\n", "..\r\n.\r\n"],
  ["a\r\n.\r\n", "a\r\n..\r\n.\r\n"],
  ["a\r\n..b\r\n", "a\r\n...b\r\n.\r\n"],
  ["a.b\r\n", "a.b\r\n.\r\n"],
  ["a\n.b\r\n", "a\n.b\r\n.\r\n"],
  ["a\r.b\r\n", "a\r.b\r\n.\r\n"],
  ["a\r\n", "a\r\n.\r\n"],
  ["a\r", "a\r\r\n.\r\n"],
  ["a\n", "a\n\r\n.\r\n"],
];
describe("the same for every cut", () => {
  test.each(cases)("%p", (message, expected) => {
    expect(stuff(message, (text) => [text])).toBe(expected);
    expect(stuff(message, (text) => text.split(""))).toBe(expected);
    for (let at = 0; at <= message.length; at++) {
      expect(stuff(message, (text) => [text.slice(0, at), text.slice(at)])).toBe(expected);
    }
  });
});

test.each(["a\n.\n", "a\n.\r\n", "a\r.\r", "a\r.\n", "\n.\r\n", "a\r\r\n\n.\r\n", "a\n."])(
  "%p is refused for every cut",
  (message) => {
    for (let at = 0; at <= message.length; at++) {
      expect(() => stuff(message, (text) => [text.slice(0, at), text.slice(at)])).toThrow(DeliveryError);
    }
  },
);
