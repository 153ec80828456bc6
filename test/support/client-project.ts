// The project of a user of the client: the released package, the test runners, and an app that sends mail.
import { cp, mkdir, mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LAUNCH_FLAGS } from "../../scripts/chromium.ts";
import { clientPackage } from "../../scripts/release/client-package.ts";
import { runProgram } from "./mailkeep.ts";

const root = join(import.meta.dir, "../..");
/** Long enough for a test that waits on a busy machine. */
const TEST_TIMEOUT_MS = "60000";

export async function installClient(project: string): Promise<void> {
  const folder = join(project, "node_modules/mailkeep");
  await mkdir(folder, { recursive: true });
  const archive = await clientPackage(Buffer.from("MIT"), { modified: new Date() });
  const command = ["tar", "-xzf", "-", "-C", folder, "--strip-components=1"];
  const { exitCode, stderr } = Bun.spawnSync(command, { stdin: archive });
  if (exitCode !== 0) throw new Error(`tar failed: ${stderr}`);
}

export async function clientProject(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "mailkeep-project-"));
  await installClient(project);
  await mkdir(join(project, "node_modules/@playwright"));
  for (const name of ["nodemailer", "jest", "vitest", "@playwright/test"]) {
    await symlink(join(root, "node_modules", name), join(project, "node_modules", name));
  }
  const app = join(root, "test/e2e/readme/app.ts");
  await cp(app, join(project, "app.ts"));
  // Jest does not read TypeScript.
  const script = await Bun.build({ entrypoints: [app], format: "cjs", packages: "external" });
  await Bun.write(join(project, "app.js"), (await script.outputs[0]?.text()) ?? "");
  await Bun.write(join(project, "package.json"), "{}");
  await Bun.write(
    join(project, "playwright.config.ts"),
    `export default {
  testDir: ".",
  timeout: ${TEST_TIMEOUT_MS},
  expect: { timeout: ${TEST_TIMEOUT_MS} },
  use: {
    baseURL: process.env.APP_URL,
    launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: ${JSON.stringify(LAUNCH_FLAGS)} },
  },
};
`,
  );
  return project;
}

export const RUNNERS = {
  "bun:test": { file: "bun.test.ts", command: [process.execPath, "test", "--timeout", TEST_TIMEOUT_MS] },
  Vitest: {
    file: "vitest.test.ts",
    command: ["node", "node_modules/vitest/vitest.mjs", "run", "--testTimeout", TEST_TIMEOUT_MS],
  },
  Jest: {
    file: "jest.test.js",
    command: ["node", "node_modules/jest/bin/jest.js", "--testTimeout", TEST_TIMEOUT_MS],
  },
  Playwright: {
    file: "playwright.test.ts",
    command: ["node", "node_modules/@playwright/test/cli.js", "test"],
  },
} as const;
export type Runner = keyof typeof RUNNERS;

export interface Run {
  readonly code: number;
  readonly out: string;
}

/** Runs a command in the project, without colours in its output. */
export async function runIn(
  project: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Run> {
  const { MAILKEEP_URL: _, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: "1", FORCE_COLOR: "0", ...environment };
  const { code, out, err } = await runProgram(command, { cwd: project, env });
  return { code, out: out + err };
}

export async function runTests(
  project: string,
  runner: Runner,
  code: string,
  environment: Readonly<Record<string, string>>,
): Promise<Run> {
  const { file, command } = RUNNERS[runner];
  await Bun.write(join(project, file), code);
  return runIn(project, [...command, file], environment);
}
