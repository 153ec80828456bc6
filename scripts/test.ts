// `npm test`: everything there is. Builds the executable, then runs the test files in processes of their own, several at
// a time: unit and contract tests, end-to-end tests against the executable, browser tests in Chromium.
// `npm test -- unit` (or e2e, browser) runs one of these suites.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "./build.ts";
import { ensureChromium } from "./chromium.ts";
import { ensureSpamFilters } from "./debian-packages.ts";
import { ensurePostgres } from "./postgres.ts";
import { ensureS3Server } from "./s3-server.ts";

const root = join(import.meta.dir, "..");
const binary = join(root, "dist", process.platform === "win32" ? "mailkeep.exe" : "mailkeep");
/** Many tests wait, for a server to start or a browser to draw. */
const AT_ONCE = availableParallelism() * 2;

/** In the order in which they start: those of the first two take longest. */
const SUITES = ["e2e", "browser", "unit"] as const;
type Suite = (typeof SUITES)[number];

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The conditions under which tests were skipped. */
  readonly conditions: readonly string[];
}

async function testFiles(suites: readonly Suite[]): Promise<string[]> {
  const suiteOf = (file: string): Suite =>
    SUITES.find((suite) => file.startsWith(`test/${suite}/`)) ?? "unit";
  const names = await readdir(join(root, "test"), { recursive: true });
  const files = names
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .toSorted();
  return suites.flatMap((suite) => files.filter((file) => suiteOf(file) === suite));
}

async function runFile(file: string, folder: string, env: Record<string, string>): Promise<Result> {
  const report = join(folder, `${file.replaceAll("/", "-")}.xml`);
  const started = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--no-orphans",
      "--only-failures",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      `./${file}`,
    ],
    { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const result = await readReport(file, report, exitCode);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
  console.log(
    result.failed === 0
      ? `ok      ${file}: ${result.passed} tests${skipped} (${seconds} s)`
      : `FAILED  ${file}: ${result.failed} of ${result.passed + result.failed} tests (${seconds} s)\n${out}${err}`,
  );
  return result;
}

/** A run that left no report has failed. */
async function readReport(file: string, report: string, exitCode: number): Promise<Result> {
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  const [suites = ""] = /<testsuites [^>]*>/.exec(xml) ?? [];
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const skipped = count("skipped");
  const failures = count("failures") + count("errors");
  const failed = failures === 0 && exitCode !== 0 ? 1 : failures;
  const lines = [...xml.matchAll(/<testcase [^>]* line="(\d+)"[^>]*>\s*<skipped/g)].map(([, line]) =>
    Number(line),
  );
  const source = await Bun.file(join(root, file)).text();
  const conditions = lines.map((line) => skipCondition(source.split("\n").slice(0, line)));
  return { file, passed: count("tests") - failures - skipped, failed, skipped, conditions };
}

/** That of the last `skipIf` up to a test, or the helper that skips where something is not installed. */
function skipCondition(lines: readonly string[]): string {
  const text = lines.join("\n");
  const [, condition] = /.*skipIf\((.*?)\)(?:\(|\.each|;|$)/s.exec(text) ?? [];
  const [, helper] = /.*\b(inBrowser|describeWith\w+)\(/s.exec(text) ?? [];
  return condition ?? helper ?? "a condition elsewhere";
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
if (suites.some((suite) => suite !== "browser")) ensurePostgres();
if (suites.includes("e2e")) ensureS3Server();
if (suites.includes("browser")) {
  const chromium = await ensureChromium();
  if (chromium) environment.CHROMIUM_PATH = chromium;
}
await buildExecutable({ outfile: binary });

const started = performance.now();
const waiting = await testFiles(suites);
const folder = await mkdtemp(join(tmpdir(), "mailkeep-tests-"));
const results: Result[] = [];
const work = async () => {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    results.push(await runFile(file, folder, environment));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
await rm(folder, { recursive: true, force: true });

const total = (name: "passed" | "failed" | "skipped") =>
  results.reduce((sum, result) => sum + result[name], 0);
for (const { file, skipped, conditions } of results.filter((result) => result.skipped > 0)) {
  console.log(`skipped: ${skipped} of ${file}, for ${[...new Set(conditions)].join(", ")}`);
}
for (const { file } of results.filter(({ failed }) => failed > 0)) console.log(`failed: ${file}`);
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
console.log(
  `tests: ${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped (${minutes} minutes)`,
);
process.exit(total("failed") === 0 ? 0 : 1);
