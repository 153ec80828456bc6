// `npm test`: everything there is. Builds the executable, then runs the suites one after the other:
// unit and contract tests, end-to-end tests against the executable, browser tests in Chromium.
// `npm test -- unit` (or e2e, browser) runs one of them.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "./build.ts";
import { ensureChromium } from "./chromium.ts";
import { ensureSpamFilters } from "./debian-packages.ts";

const root = join(import.meta.dir, "..");
const binary = join(root, "dist", process.platform === "win32" ? "mailkeep.exe" : "mailkeep");
const TEST_TIMEOUT_MS = 30_000;

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const SUITES = ["unit", "e2e", "browser"] as const;
type Suite = (typeof SUITES)[number];

/** Folders below test/ that make up a suite; everything that is not listed elsewhere is a unit test. */
async function foldersOf(suite: Suite): Promise<string[]> {
  if (suite !== "unit") return [`test/${suite}/`];
  const entries = await readdir(join(root, "test"), { withFileTypes: true });
  const others = ["e2e", "browser", "fixtures"];
  return entries
    .filter((entry) => entry.isDirectory() && !others.includes(entry.name))
    .map(({ name }) => `test/${name}/`);
}

/** Counts by the report of the run; a run that left no report has failed. */
async function readTally(report: string): Promise<Tally> {
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  const [suites] = /<testsuites [^>]*>/.exec(xml) ?? [];
  if (!suites) return { passed: 0, failed: 1, skipped: 0 };
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped");
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

async function runSuite(suite: Suite, environment: Record<string, string>): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "mailkeep-tests-"));
  const report = join(folder, "report.xml");
  const started = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--timeout=${TEST_TIMEOUT_MS}`,
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...(await foldersOf(suite)),
    ],
    { cwd: root, env: { ...process.env, ...environment }, stdio: ["ignore", "inherit", "inherit"] },
  );
  const exitCode = await child.exited;
  const tally = await readTally(report);
  await rm(folder, { recursive: true, force: true });
  if (exitCode !== 0 && tally.failed === 0) tally.failed = 1;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `\n${suite}: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped (${seconds} s)\n`,
  );
  return tally;
}

function selectedSuites(): Suite[] {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !SUITES.some((suite) => suite === name));
  if (unknown) {
    console.error(`npm test: unknown suite '${unknown}'; known: ${SUITES.join(", ")}`);
    process.exit(2);
  }
  return SUITES.filter((suite) => asked.length === 0 || asked.includes(suite));
}

const suites = selectedSuites();
const environment: Record<string, string> = { MAILKEEP_BINARY: binary };
if (suites.includes("unit")) ensureSpamFilters();
if (suites.includes("browser")) {
  const chromium = await ensureChromium();
  if (chromium) environment.CHROMIUM_PATH = chromium;
}
await buildExecutable({ outfile: binary });

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
for (const suite of suites) {
  const tally = await runSuite(suite, environment);
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
}
console.log(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
