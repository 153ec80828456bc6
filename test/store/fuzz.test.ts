// Short runs of the fuzzers. `npm run fuzz` runs them longer.
import { test } from "bun:test";
import { fuzzLogOnce, queryFuzzer } from "./fuzz.ts";

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "a log damaged at random places opens (seed %i)",
  (seed) => fuzzLogOnce(seed),
);

test("no query makes the text index fail", () => {
  const queries = queryFuzzer();
  for (let seed = 0; seed < 100; seed++) queries.once(seed);
  queries.close();
});
