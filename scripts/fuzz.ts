// `npm run fuzz -- --minutes N [--seed S] [--only name]`: runs all fuzzers in turn, with seeds from S on. A failure
// prints its seed; `--only name --seed S --minutes 0` repeats it.
import { fuzzAuthResultsOnce } from "../test/mime/fuzz/auth-results.ts";
import { checkMail } from "../test/mime/fuzz/compare.ts";
import { damageMail, generateMail } from "../test/mime/fuzz/generate-mail.ts";
import { fuzzOnce as fuzzSmtpOnce } from "../test/smtp/fuzz.ts";
import { fuzzLogOnce, queryFuzzer } from "../test/store/fuzz.ts";
import { Random } from "../test/support/random.ts";
import { endWith, readFlags } from "./flags.ts";

const queries = queryFuzzer();

async function fuzzMimeOnce(seed: number): Promise<void> {
  const random = new Random(seed);
  const whole = generateMail(random);
  const raw = random.chance(0.5) ? whole : damageMail(random, whole);
  try {
    await checkMail(random, raw);
  } catch (cause) {
    throw new Error(`seed ${seed}: ${JSON.stringify(raw.toString("latin1"))}`, { cause });
  }
}

/** Each does one run with a seed, and throws if it finds a bug. */
const FUZZERS: Readonly<Record<string, (seed: number) => void | Promise<void>>> = {
  smtp: fuzzSmtpOnce,
  mime: fuzzMimeOnce,
  log: fuzzLogOnce,
  query: queries.once,
  "auth-results": fuzzAuthResultsOnce,
};
const MAX_FAILURES = 10;

const USAGE = `usage: npm run fuzz -- [--minutes N] [--seed S] [--only ${Object.keys(FUZZERS).join("|")}]`;
const flags = readFlags(USAGE, ["minutes", "seed", "only"]);
const names = Object.keys(FUZZERS).filter((name) => flags.only === undefined || flags.only === name);
const minutes = Number(flags.minutes ?? 1);
const firstSeed = Number(flags.seed ?? Date.now() % 2 ** 31);
if (names.length === 0 || !(minutes >= 0) || !Number.isInteger(firstSeed)) endWith(2, USAGE);

let failures = 0;

async function runFor(name: string, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let seed = firstSeed;
  do {
    try {
      await FUZZERS[name]?.(seed);
    } catch (error) {
      failures++;
      console.error(`${name}, seed ${seed}:`, error);
    }
    seed++;
  } while (performance.now() < end && failures < MAX_FAILURES);
  return seed - firstSeed;
}

for (const name of names) {
  const before = failures;
  const runs = await runFor(name, (minutes * 60_000) / names.length);
  console.log(`${name.padEnd(12)} ${runs} runs from seed ${firstSeed}, ${failures - before} failures`);
}
queries.close();
process.exit(failures === 0 ? 0 : 1);
