// Fuzzes the MIME scan against mailparser: `bun scripts/fuzz-mime.ts --minutes 5 [--seed 1]`.
// A failure prints its seed and the mail.
import { parseArgs } from "node:util";
import { checkMail } from "../test/mime/fuzz/compare.ts";
import { damageMail, generateMail } from "../test/mime/fuzz/generate-mail.ts";
import { Random } from "../test/mime/fuzz/random.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string", default: "1" } },
});
const end = performance.now() + Number(values.minutes) * 60_000;
const differences = new Map<string, number>();
let seed = Number(values.seed);
let mails = 0;
let failures = 0;

while (performance.now() < end && failures < 10) {
  const random = new Random(seed);
  const whole = generateMail(random);
  const raw = random.chance(0.5) ? whole : damageMail(random, whole);
  try {
    const difference = await checkMail(random, raw);
    if (difference) differences.set(difference, (differences.get(difference) ?? 0) + 1);
  } catch (error) {
    failures++;
    console.error(
      `seed ${seed}: ${error instanceof Error ? error.message : error}\n${JSON.stringify(raw.toString("latin1"))}\n`,
    );
  }
  seed++;
  mails++;
}

console.log(`${mails} mails, ${failures} failures`);
for (const [difference, times] of differences) console.log(`  ${times} × ${difference}`);
process.exit(failures === 0 ? 0 : 1);
