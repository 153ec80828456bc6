// Answers with long strings are the same bytes as any other JSON.
import { describe, expect, test } from "bun:test";
import { encodeLong, hasLongString } from "../../src/http/long-json.ts";

const LONG = 300_000;

describe("JSON written in pieces is what JSON.stringify gives for", () => {
  const VALUES: Record<string, Record<string, unknown>> = {
    "quotes, control characters and letters": { id: 1, text: 'é"\\\n\u0001€'.repeat(LONG), none: null },
    "characters of two halves at any place": { a: `x${"😀".repeat(LONG)}`, b: "😀".repeat(LONG) },
    "halves that stand alone": { a: "\ud83d".repeat(LONG), b: `${"\udc00".repeat(LONG)}x` },
    "two long strings and members left out": { a: undefined, b: "b".repeat(LONG), c: "c".repeat(LONG) },
  };
  test.each(Object.keys(VALUES))("%s", async (name) => {
    const value = VALUES[name] ?? {};
    expect(hasLongString(value)).toBe(true);
    const pieces = await Array.fromAsync(encodeLong(value));
    expect(Buffer.concat(pieces).equals(Buffer.from(JSON.stringify(value)))).toBe(true);
  });
});

test("others have their turn while an answer is written", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  for await (const _ of encodeLong({ text: "x".repeat(40 * LONG) })) {
    // Only the time that it takes matters.
  }
  isDone = true;
  expect(turns).toBeGreaterThan(20);
});

test("of many answers at once only one piece is written in a turn", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const answers = Array.from({ length: 20 }, () =>
    Array.fromAsync(encodeLong({ text: "x".repeat(4 * LONG) })),
  );
  const pieces = (await Promise.all(answers)).flat();
  isDone = true;
  expect(turns).toBeGreaterThan(pieces.length / 3);
});
