// `npm run release [target…]`: builds and packs executables of the targets into dist/release, with
// checksums, and runs the end-to-end tests. Without targets: all platforms, and the client library.
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "../src/cli/server/bundle.ts";
import { formatSize } from "../src/lib/numbers.ts";
import { buildExecutable } from "./build.ts";
import { formula } from "./formula.ts";
import { CLIENT_PACKAGE, clientPackage } from "./release/client-package.ts";
import { baseName, pack, packageFile } from "./release/package.ts";
import { formatSums, SUMS_FILE, sha256 } from "./release/sums.ts";
import { ownTarget, type ReleaseTarget, TARGETS } from "./release/targets.ts";

const root = join(import.meta.dir, "..");
const folder = join(root, "dist", "release");
const dockerFolder = join(root, "dist", "docker");

/** The targets that the Dockerfile copies, by Docker's names of processors. The baseline build runs on any x64. */
const DOCKER_TARGETS: Readonly<Record<string, string>> = {
  amd64: "linux-x64-musl-baseline",
  arm64: "linux-arm64-musl",
};

interface Built {
  readonly target: ReleaseTarget;
  readonly file: string;
  readonly sum: string;
  readonly executableBytes: number;
  readonly packageBytes: number;
}

function selectedTargets(names: readonly string[]): readonly ReleaseTarget[] {
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined) {
    console.error(
      `release: unknown target '${unknown}'; known: ${TARGETS.map(({ name }) => name).join(", ")}`,
    );
    process.exit(2);
  }
  return names.length === 0 ? TARGETS : TARGETS.filter(({ name }) => names.includes(name));
}

function commitTime(): Date {
  const { stdout, exitCode } = Bun.spawnSync(["git", "log", "-1", "--format=%ct"], { cwd: root });
  return new Date(exitCode === 0 ? Number(stdout.toString()) * 1000 : Date.UTC(2026, 0, 1));
}

const executablePath = (target: ReleaseTarget) =>
  join(folder, baseName(VERSION, target) + (target.executable.endsWith(".exe") ? ".exe" : ""));

async function build(target: ReleaseTarget, modified: Date): Promise<Built> {
  const path = executablePath(target);
  await buildExecutable({ outfile: path, target: target.runtime });
  const executable = await Bun.file(path).bytes();
  const documents = {
    LICENSE: await Bun.file(join(root, "LICENSE")).bytes(),
    "README.md": await Bun.file(join(root, "README.md")).bytes(),
  };
  const archive = pack({ target, version: VERSION, executable, documents }, { modified });
  const file = packageFile(VERSION, target);
  await Bun.write(join(folder, file), archive);
  return {
    target,
    file,
    sum: sha256(archive),
    executableBytes: executable.length,
    packageBytes: archive.length,
  };
}

async function placeForDocker(targets: readonly ReleaseTarget[]): Promise<void> {
  await rm(dockerFolder, { recursive: true, force: true });
  for (const [arch, name] of Object.entries(DOCKER_TARGETS)) {
    const target = targets.find((each) => each.name === name);
    if (!target) continue;
    await mkdir(join(dockerFolder, arch), { recursive: true });
    await copyFile(executablePath(target), join(dockerFolder, arch, "mailkeep"));
  }
}

function sizeTable(built: readonly Built[]): string {
  const rows = [
    ["target", "executable", "download", "file"],
    ...built.map(({ target, file, executableBytes, packageBytes }) => [
      target.name,
      formatSize(executableBytes),
      formatSize(packageBytes),
      file,
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function printedVersion(executable: string): string {
  return Bun.spawnSync([executable, "--version"]).stdout.toString().trim();
}

async function runEndToEnd(executable: string): Promise<boolean> {
  console.log(`\n${printedVersion(executable)}: running the end-to-end suite against it …`);
  const child = Bun.spawn([process.execPath, "scripts/test.ts", "e2e"], {
    cwd: root,
    env: { ...process.env, MAILKEEP_BINARY: executable },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return (await child.exited) === 0;
}

const targets = selectedTargets(process.argv.slice(2));
const modified = commitTime();
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const built: Built[] = [];
for (const target of targets) {
  const started = performance.now();
  built.push(await build(target, modified));
  console.log(`built ${target.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
const sums = new Map(built.map(({ file, sum }) => [file, sum]));
if (targets === TARGETS) {
  const client = await clientPackage(await Bun.file(join(root, "LICENSE")).bytes(), { modified });
  await Bun.write(join(folder, CLIENT_PACKAGE), client);
  sums.set(CLIENT_PACKAGE, sha256(client));
  await Bun.write(join(folder, "mailkeep.rb"), formula(sums));
}
await Bun.write(join(folder, SUMS_FILE), formatSums(sums));
await placeForDocker(targets);
console.log(`\n${sizeTable(built)}\n\n${folder}`);

const own = targets.find(({ name }) => name === ownTarget()?.name);
if (!own) console.log("\nNone of these runs on this machine: the end-to-end suite is left out.");
else if (!(await runEndToEnd(executablePath(own)))) process.exit(1);
