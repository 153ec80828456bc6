// Letters with more marks on them than any language has.
import { expect, test } from "bun:test";
import { baseLetters, foldCase } from "../../src/query/fold.ts";
import { cpuMs } from "../support/cpu-time.ts";

/** Returns combining marks in an order that normalization has to change. */
const marks = (count: number) => "\u0301\u0323".repeat(count / 2);

test.each([
  ["foldCase", foldCase],
  ["baseLetters", baseLetters],
])("%s is fast for a letter with thousands of marks", (_, fold) => {
  const started = cpuMs();
  expect(fold(`x${marks(60_000)}y`)).toEndWith("y");
  expect(cpuMs() - started).toBeLessThan(1000);
});

test("a letter with thirty marks keeps them", () => {
  expect(foldCase(`q${marks(30)}`).length).toBe(31);
  expect(foldCase(`q${marks(40)}`)).toBe(foldCase(`q${marks(30)}`));
});
