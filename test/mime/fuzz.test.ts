// A short run of the fuzzer; scripts/fuzz-mime.ts runs it for as long as one likes.
import { expect, test } from "bun:test";
import { checkMail } from "./fuzz/compare.ts";
import { damageMail, generateMail } from "./fuzz/generate-mail.ts";
import { Random } from "./fuzz/random.ts";

const MAILS = 200;

test("well-made mails give what mailparser gives, however they are cut", async () => {
  for (let seed = 0; seed < MAILS; seed++) {
    const random = new Random(seed);
    await checkMail(random, generateMail(random));
  }
});

test("damaged mails give what mailparser gives, or better", async () => {
  let compared = 0;
  for (let seed = 0; seed < MAILS; seed++) {
    const random = new Random(seed);
    if ((await checkMail(random, damageMail(random, generateMail(random)))) === null) compared++;
  }
  expect(compared).toBeGreaterThan(MAILS / 2);
});
