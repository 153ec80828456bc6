// Fuzzes the SMTP session for as long as asked: bun scripts/fuzz-smtp.ts [--minutes N] [--seed N]
// A failure prints its seed; `--seed N --minutes 0` runs just that one again.
import { parseArgs } from "node:util";
import { fuzzOnce } from "../test/smtp/fuzz.ts";

const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const minutes = Number(values.minutes ?? 1);
const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
const deadline = performance.now() + minutes * 60_000;

let seed = firstSeed;
try {
  do fuzzOnce(seed++);
  while (performance.now() < deadline);
} catch (error) {
  console.error(`seed ${seed - 1} fails:`, error);
  process.exit(1);
}
console.log(`${seed - firstSeed} sessions from seed ${firstSeed}: no promise broken`);
