import { test } from "bun:test";
import { fuzzOnce } from "./fuzz.ts";

test("five hundred random sessions in random pieces break no promise", () => {
  for (let seed = 1; seed <= 500; seed++) fuzzOnce(seed);
});
