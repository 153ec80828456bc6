import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runMailkeep } from "../support/mailkeep.ts";

setDefaultTimeout(30_000);

const root = join(import.meta.dir, "../..");
const readme = await Bun.file(join(root, "README.md")).text();
const chromium = process.env.CHROMIUM_PATH ?? Bun.which("chromium") ?? Bun.which("google-chrome");

/** The only block of the README, or of another page, that contains this. */
function blockWith(language: string, text: string, page = readme): string {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, name, code]) => name === language && code?.includes(text));
  expect(found).toHaveLength(1);
  return found[0]?.[2] ?? "";
}

/** A project of a reader: the app, its packages, and the example. */
let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "mailkeep-readme-"));
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@playwright/test"), { recursive: true });
  await symlink(root, join(modules, "mailkeep"));
  for (const name of ["nodemailer", "playwright-core"]) {
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  await cp(join(import.meta.dir, "readme/app.ts"), join(project, "app.ts"));
  await Bun.write(
    join(modules, "@playwright/test/index.ts"),
    (await Bun.file(join(import.meta.dir, "readme/playwright-test.ts")).text()).replace(
      "./app.ts",
      "../../../app.ts",
    ),
  );
});
afterAll(() => rm(project, { recursive: true }));

async function runExample(code: string): Promise<void> {
  const file = join(project, "example.test.ts");
  await Bun.write(file, code);
  const result = await runMailkeep(["run", "--", process.execPath, "test", file], {
    environment: { CHROMIUM_PATH: chromium ?? "" },
  });
  expect(result).toMatchObject({ code: 0, err: expect.stringContaining("1 mail was captured") });
}

test("the example of docs/client.md runs as it stands", async () => {
  const page = await Bun.file(join(root, "docs/client.md")).text();
  const file = join(project, "example.ts");
  const signUp = `import { signUp } from "./app.ts";\nawait signUp("ann@example.com");\n`;
  await Bun.write(file, signUp + blockWith("js", "connect()", page));
  const result = await runMailkeep(["run", "--", process.execPath, file]);
  expect(result).toMatchObject({ code: 0, out: '482913 [ "ann@example.com" ]\n' });
});

describe("the README's example runs as it stands:", () => {
  test("bun:test", () => runExample(blockWith("ts", 'from "bun:test"')));
  test("Vitest", () => runExample(blockWith("ts", 'from "vitest"')));
  test.skipIf(!chromium)("Playwright", () => runExample(blockWith("ts", 'from "@playwright/test"')), 60_000);

  test("shell", async () => {
    const bin = join(project, "bin");
    await mkdir(bin, { recursive: true });
    const binary = process.env.MAILKEEP_BINARY;
    const command = binary ? `"${binary}"` : `"${process.execPath}" "${join(root, "src/main.ts")}"`;
    await Bun.write(join(bin, "mailkeep"), `#!/bin/sh\nexec ${command} "$@"\n`);
    Bun.spawnSync(["chmod", "+x", join(bin, "mailkeep")]);
    await Bun.write(
      join(bin, "your-app"),
      `#!/bin/sh\nprintf 'Subject: Welcome\\n\\nYour code is 482913: https://example.com/confirm\\n' | mailkeep send "$3"\n`,
    );
    Bun.spawnSync(["chmod", "+x", join(bin, "your-app")]);
    const script = `set -e\n${blockWith("sh", "--extract code")}\ntest "$code" = 482913`;
    const { code, err } = await runMailkeep(["run", "--", "sh", "-c", script], {
      environment: { PATH: `${bin}:${process.env.PATH}` },
    });
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("1 mail was captured") });
  });
});
