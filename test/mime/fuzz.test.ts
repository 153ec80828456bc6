// Short runs of the fuzzers. `npm run fuzz` runs them longer.
import { expect, test } from "bun:test";
import { Random } from "../support/random.ts";
import { fuzzAuthResultsOnce } from "./fuzz/auth-results.ts";
import { checkMail } from "./fuzz/compare.ts";
import { damageMail, generateMail } from "./fuzz/generate-mail.ts";

const MAILS = 200;

test("well-made mails give the same results as mailparser, for any chunks", async () => {
  for (let seed = 0; seed < MAILS; seed++) {
    const random = new Random(seed);
    await checkMail(random, generateMail(random));
  }
});

test("damaged mails give the same results as mailparser, or better", async () => {
  let compared = 0;
  for (let seed = 0; seed < MAILS; seed++) {
    const random = new Random(seed);
    if ((await checkMail(random, damageMail(random, generateMail(random)))) === null) compared++;
  }
  expect(compared).toBeGreaterThan(MAILS / 3);
});

test("Authentication-Results give back the results they were made from, and damaged ones do not fail", () => {
  for (let seed = 0; seed < 500; seed++) fuzzAuthResultsOnce(seed);
});
