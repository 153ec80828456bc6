import { test } from "bun:test";
import { fuzzOnce } from "./fuzz.ts";

test("two thousand random sessions in random pieces break no promise", () => {
  for (let seed = 1; seed <= 2000; seed++) fuzzOnce(seed);
});
