// Answers with long strings are the same bytes as any other JSON.
import { describe, expect, test } from "bun:test";
import { encodeLong, isLongObject } from "../../src/http/long-json.ts";
import { countTurns } from "../support/count-turns.ts";

const LONG = 300_000;

describe("JSON written in pieces is what JSON.stringify gives for", () => {
  const VALUES: Record<string, Record<string, unknown>> = {
    "quotes, control characters and letters": { id: 1, text: 'é"\\\n\u0001€'.repeat(LONG), none: null },
    "characters of two halves at any place": { a: `x${"😀".repeat(LONG)}`, b: "😀".repeat(LONG) },
    "halves that stand alone": { a: "\ud83d".repeat(LONG), b: `${"\udc00".repeat(LONG)}x` },
    "two long strings and members left out": { a: undefined, b: "b".repeat(LONG), c: "c".repeat(LONG) },
    "lists of objects with lists": {
      messages: Array.from({ length: 200 }, (_, at) => ({
        recipients: Array.from({ length: at % 3 === 0 ? 3000 : 2 }, (_, n) => `"é${n}"@example.com`),
        subject: "s".repeat(at === 7 ? LONG : 10),
        is_read: at % 2 === 0,
        tags: [],
        preview: at % 5 === 0 ? undefined : { from: null },
      })),
      total: 200,
      next_cursor: null,
    },
    "many short members": { ids: Array.from({ length: LONG }, (_, at) => at), done: true },
  };
  test.each(Object.keys(VALUES))("%s", async (name) => {
    const value = VALUES[name] ?? {};
    const pieces = await Array.fromAsync(encodeLong(value));
    expect(pieces.length).toBeGreaterThan(2);
    expect(Buffer.concat(pieces).equals(Buffer.from(JSON.stringify(value)))).toBe(true);
  });
});

test.each([
  ["a long string", { text: "x".repeat(LONG) }, true],
  ["a long list of strings", { recipients: Array(LONG / 10).fill("a@example.com") }, true],
  ["more attachments than are written at once", { attachments: Array(1001).fill({ id: "a" }) }, true],
  ["a page", { messages: [{ subject: "a" }], total: 1 }, false],
  ["a short list of strings", { ids: ["a", "b"] }, false],
  ["nothing", null, false],
])("whether an answer is written in pieces: %s", (_, value, expected) => {
  expect(isLongObject(value)).toBe(expected);
});

test.each([[[]], [[{ a: 1 }]], [[{ a: 1 }, { text: "x".repeat(LONG) }, {}]]])(
  "a list that is read while it is written is what JSON.stringify gives for all of it",
  async (messages) => {
    const reading = (async function* () {
      yield* messages;
    })();
    expect(isLongObject({ messages: reading })).toBe(true);
    const pieces = await Array.fromAsync(encodeLong({ messages: reading, total: 3 }));
    expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify({ messages, total: 3 }));
  },
);

test("others have their turn while an answer is written", async () => {
  const stop = countTurns();
  for await (const _ of encodeLong({ text: "x".repeat(40 * LONG) })) {
    // Only the time that it takes matters.
  }
  expect(stop()).toBeGreaterThan(20);
});

test("of many answers at once only one piece is written in a turn", async () => {
  const stop = countTurns();
  const answers = Array.from({ length: 20 }, () =>
    Array.fromAsync(encodeLong({ text: "x".repeat(4 * LONG) })),
  );
  const pieces = (await Promise.all(answers)).flat();
  expect(stop()).toBeGreaterThan(pieces.length / 3);
});
