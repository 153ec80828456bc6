// `npm test`: builds the executable and runs all tests, in several processes at a time: unit and contract tests,
// end-to-end tests against the executable, and browser tests in Chromium.
// `npm test -- unit` (or e2e, browser) runs one of these suites. MAILKEEP_BINARY names an executable to test instead.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "./build.ts";
import { ensureChromium } from "./chromium.ts";
import { ensureSpamFilters } from "./debian-packages.ts";
import { ensurePostgres } from "./postgres.ts";
import { ensureS3Server } from "./s3-server.ts";

const root = join(import.meta.dir, "..");
const given = process.env.MAILKEEP_BINARY;
const binary = given ?? join(root, "dist", process.platform === "win32" ? "mailkeep.exe" : "mailkeep");
/** One more than there are cores, because many tests wait for a server or a browser. */
const AT_ONCE = availableParallelism() + 1;

/** In the order of their start. The processes of e2e are the shortest, so no core waits long at the end. */
const SUITES = ["unit", "browser", "e2e"] as const;
type Suite = (typeof SUITES)[number];

/** Starts first, because it takes longest. */
const LONGEST = "test/e2e/readme-examples.test.ts";

/** Unit and browser tests share processes: loading their code takes longer than running most files. */
const FILES_PER_PROCESS = { e2e: 1, browser: 5, unit: 8 } as const;

/** Programs to install if they are missing, each with the suites that wait for it. */
const INSTALLS: readonly [install: () => Promise<void>, ...needed: Suite[]][] = [
  [ensurePostgres, "unit", "e2e"],
  [ensureSpamFilters, "unit"],
  [ensureChromium, "browser", "e2e"],
  [ensureS3Server, "e2e"],
];

interface Run {
  readonly suite: Suite;
  readonly files: readonly string[];
}

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Why tests were skipped. */
  readonly reasons: readonly string[];
}

/** One run is one process. */
async function planRuns(suites: readonly Suite[]): Promise<Run[]> {
  const suiteOf = (file: string): Suite =>
    SUITES.find((suite) => file.startsWith(`test/${suite}/`)) ?? "unit";
  const names = await readdir(join(root, "test"), { recursive: true });
  const files = names
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .toSorted();
  const runs = suites.flatMap((suite) => {
    const own = files.filter((file) => suiteOf(file) === suite);
    const size = FILES_PER_PROCESS[suite];
    return Array.from({ length: Math.ceil(own.length / size) }, (_, run) => ({
      suite,
      files: own.slice(run * size, (run + 1) * size),
    }));
  });
  const isLongest = ({ files }: Run) => Number(files.includes(LONGEST));
  return runs.toSorted((a, b) => isLongest(b) - isLongest(a));
}

async function runFiles(files: readonly string[], folder: string): Promise<Result[]> {
  const report = join(folder, `${files[0]?.replaceAll("/", "-")}.xml`);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--no-orphans",
      // The limit in test/support/test-process.ts applies only to the first file of a process.
      "--timeout=300000",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...files.map((file) => `./${file}`),
    ],
    { cwd: root, env: { ...process.env, MAILKEEP_BINARY: binary }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const [out, { err, told }, exitCode] = await Promise.all([
    child.stdout.text(),
    followFiles(child.stderr),
    child.exited,
  ]);
  processorSeconds += Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  const reports = await Promise.all(files.map((file) => readReport(file, xml)));
  // An error after the end of a test is not in the report. Only the exit code shows it.
  const isUnclear = exitCode !== 0 && reports.every(({ failed }) => failed === 0);
  const results = isUnclear ? reports.map((result) => ({ ...result, failed: 1 })) : reports;
  for (const result of results) if (result.failed > 0 || !told.has(result.file)) tell(result);
  if (exitCode !== 0) console.log(out + err.replaceAll(/^\(pass\).*\n/gm, ""));
  return results;
}

/**
 * Prints the result of a file when the next file begins, because only then have all its tests been reported. `runFiles`
 * prints files with failures and the last file.
 */
async function followFiles(stderr: ReadableStream<Uint8Array>): Promise<{ err: string; told: Set<string> }> {
  const told = new Set<string>();
  const decoder = new TextDecoder();
  let err = "";
  let ended = 0;
  let started = performance.now();
  for await (const chunk of stderr) {
    err += decoder.decode(chunk, { stream: true });
    const sections = err.split(/^(?=test\/\S+:\n)/m).slice(1);
    for (const section of sections.slice(ended, -1)) {
      ended++;
      const count = (outcome: string) => section.split(`\n(${outcome}) `).length - 1;
      const seconds = (performance.now() - started) / 1000;
      started = performance.now();
      if (count("fail") > 0) continue;
      const file = section.slice(0, section.indexOf(":\n"));
      tell({ file, passed: count("pass"), failed: 0, skipped: count("skip"), seconds });
      told.add(file);
    }
  }
  return { err, told };
}

function tell({ file, passed, failed, skipped, seconds }: Omit<Result, "reasons">): void {
  const more = `${skipped > 0 ? `, ${skipped} skipped` : ""} (${seconds.toFixed(1)} s)`;
  console.log(
    failed === 0
      ? `ok      ${file}: ${passed} tests${more}`
      : `FAILED  ${file}: ${failed} of ${passed + failed} tests${more}`,
  );
}

/** A file that is not in the report has failed. */
async function readReport(file: string, xml: string): Promise<Result> {
  const [suite] = new RegExp(`<testsuite name="${file}" [^>]*>`).exec(xml) ?? [];
  const number = (name: string) => Number(new RegExp(` ${name}="([\\d.]+)"`).exec(suite ?? "")?.[1] ?? 0);
  const failed = suite === undefined ? 1 : number("failures") + number("errors");
  const skipped = number("skipped");
  const skippedCases = new RegExp(`<testcase [^>]* file="${file}" line="(\\d+)"[^>]*>\\s*<skipped`, "g");
  const lines = (await Bun.file(join(root, file)).text()).split("\n");
  const reasons = [...xml.matchAll(skippedCases)].map(([, line]) => skipReason(lines.slice(0, Number(line))));
  const passed = Math.max(0, number("tests") - failed - skipped);
  return { file, passed, failed, skipped, seconds: number("time"), reasons };
}

/** The condition of the last `skipIf` before the test, or the helper that skips if a program is not installed. */
function skipReason(lines: readonly string[]): string {
  const text = lines.join("\n");
  const [, condition] = /.*skipIf\((.*?)\)(?:\(|\.each|;|$)/s.exec(text) ?? [];
  const [, helper] = /.*\b(inBrowser|describeWith\w+)\(/s.exec(text) ?? [];
  const reason = condition ?? helper ?? "a condition elsewhere";
  const program = /^!.*\("([\w-]+)"\)$|^!(?:has)?(?!can|is)(\w+)$|^(\w+) === null$/;
  return reason
    .split(" && ")
    .map((part) => part.replace(program, "$1$2$3 is not installed"))
    .join(" and ");
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
const installs = INSTALLS.filter(([, ...needed]) => needed.some((suite) => suites.includes(suite))).map(
  ([install, ...needed]) => ({ needed, done: install() }),
);
const isReady = (suite: Suite) =>
  Promise.all(installs.filter(({ needed }) => needed.includes(suite)).map(({ done }) => done));
if (given === undefined) await buildExecutable({ outfile: binary });

/** The processor time of the tests and of the programs that they started. */
let processorSeconds = 0;
const started = performance.now();
const waiting = await planRuns(suites);
const folder = await mkdtemp(join(tmpdir(), "mailkeep-tests-"));
const results: Result[] = [];
const work = async () => {
  for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
    await isReady(run.suite);
    results.push(...(await runFiles(run.files, folder)));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
await rm(folder, { recursive: true, force: true });

const total = (name: "passed" | "failed" | "skipped") =>
  results.reduce((sum, result) => sum + result[name], 0);
for (const { file, skipped, reasons } of results.filter((result) => result.skipped > 0)) {
  console.log(`skipped: ${skipped} of ${file}: ${[...new Set(reasons)].join(", ")}`);
}
for (const { file } of results.filter(({ failed }) => failed > 0)) console.log(`failed: ${file}`);
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
console.log(
  `tests: ${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped ` +
    `(${minutes} minutes, ${processorSeconds.toFixed(0)} seconds of processor time)`,
);
process.exit(total("failed") === 0 ? 0 : 1);
