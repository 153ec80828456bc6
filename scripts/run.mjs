// Runs a script of the project: `node scripts/run.mjs <file> [arguments]`.
// It is plain JavaScript because it also runs where only Node or only another Bun is installed. It installs what is
// missing, then runs the script with the project's own version of Bun.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const bun = join(modules, "bun", "bin", "bun.exe");

/** A Bun whose install script did not run is a small placeholder, not an executable. */
const bunWorks = () => existsSync(bun) && statSync(bun).size > 1_000_000;
/** Files whose time tells when packages were installed last: npm's own, and ours, because Bun writes none. */
const marks = [".package-lock.json", ".installed"].map((name) => join(modules, name));
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isInstalled = () => marks.some((mark) => changedAt(mark) >= changedAt(join(root, "package-lock.json")));

function runOrExit(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  process.stderr.write(
    `mailkeep: '${command} ${args.join(" ")}' failed${error ? `: ${error.message}` : ""}\n`,
  );
  process.exit(1);
}

function install() {
  process.stderr.write("mailkeep: installing what is missing (once) …\n");
  const hasNpm = spawnSync("npm", ["--version"], { shell: process.platform === "win32" }).status === 0;
  if (hasNpm) runOrExit("npm", ["ci", "--loglevel=error"]);
  else runOrExit("bun", ["install", "--no-save"]);
  writeFileSync(marks[1], "");
}

if (!isInstalled()) install();
if (!bunWorks()) runOrExit(process.execPath, [join(modules, "bun", "install.js")]);

// In a process group of its own, so that it gets Ctrl+C only once, from us.
const child = spawn(bun, process.argv.slice(2), { stdio: "inherit", detached: process.platform !== "win32" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));

// npm's shell does not pass signals on, so the end of the shell stops the script.
const parent = process.ppid;
setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref();
