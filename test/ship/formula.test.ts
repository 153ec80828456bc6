import { describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formula } from "../../scripts/formula.ts";
import { packageFile } from "../../scripts/release/package.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { VERSION } from "../../src/cli/server/bundle.ts";
import { mailkeepCommand, runProgram } from "../support/mailkeep.ts";

const sums = new Map(TARGETS.map((target, at) => [packageFile("1.2.3", target), `${at}`.repeat(64)]));
const text = formula(sums);

describe("the Homebrew formula", () => {
  test.each([
    ["on_macos", "on_arm", "macos-arm64"],
    ["on_macos", "on_intel", "macos-x64"],
    ["on_linux", "on_arm", "linux-arm64"],
    ["on_linux", "on_intel", "linux-x64-baseline"],
  ])("%s %s downloads %s with its own sum", (os, cpu, target) => {
    const file = `mailkeep-1.2.3-${target}.tar.gz`;
    const block = text.split(`  ${os} do`)[1]?.split(`    ${cpu} do`)[1]?.split("end")[0];
    expect(block?.trim()).toBe(
      `url "https://github.com/mailkeep/mailkeep/releases/download/v1.2.3/${file}"\n      sha256 "${sums.get(file)}"`,
    );
  });

  test("has a service, a test that sends a mail, completions and the manual page", () => {
    expect(text).toContain("  service do\n");
    expect(text).toContain("  test do\n");
    expect(text).toContain("--mail-rcpt");
    expect(text).toContain('generate_completions_from_executable(bin/"mailkeep", "completions")');
    expect(text).toContain('man1/"mailkeep.1"');
  });

  test("takes the version from the names of the downloads", () => {
    expect(text).toContain('\n  version "1.2.3"\n');
  });

  test.each([
    [
      "all that is missing",
      "1  mailkeep-1.2.3-linux-arm64.tar.gz\n1  mailkeep-1.2.3-macos-x64.tar.gz\n",
      "SHA256SUMS has no line for mailkeep-1.2.3-macos-arm64.tar.gz, mailkeep-1.2.3-linux-x64-baseline.tar.gz",
    ],
    ["that there is no download", "1  other.tar.gz\n", "SHA256SUMS names no download of Mailkeep"],
    ["that the file is empty", "", "SHA256SUMS names no download of Mailkeep"],
    [
      "that versions are mixed",
      "1  mailkeep-1.2.3-linux-x64.tar.gz\n1  mailkeep-1.2.4-linux-x64.tar.gz\n",
      "SHA256SUMS has several versions: 1.2.3, 1.2.4",
    ],
    ["which line it cannot read", "<html>\n", "not a line of SHA256SUMS: <html>"],
    ["that there is no such file", null, "ENOENT: no such file or directory"],
  ])("that cannot be made says in one line %s", async (_what, lines, reason) => {
    const folder = await mkdtemp(join(tmpdir(), "mailkeep-sums-"));
    const path = join(folder, "SHA256SUMS");
    if (lines !== null) await Bun.write(path, lines.replaceAll(/^1/gm, "1".repeat(64)));
    const script = join(import.meta.dir, "../../scripts/formula.ts");
    const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, script, path]);
    expect({ exitCode, out: stdout.toString() }).toEqual({ exitCode: 1, out: "" });
    expect(stderr.toString()).toStartWith(`formula: ${path}: ${reason}`);
    expect(stderr.toString().trimEnd().split("\n")).toHaveLength(1);
    await rm(folder, { recursive: true });
  });

  test.skipIf(!Bun.which("ruby"))("is valid Ruby", () => {
    const { stdout, stderr } = Bun.spawnSync(["ruby", "-wc"], { stdin: Buffer.from(text) });
    expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "Syntax OK\n", err: "" });
  });

  test.skipIf(!Bun.which("ruby") || !Bun.which("curl"))("installs, and its own test passes", async () => {
    const prefix = await mkdtemp(join(tmpdir(), "mailkeep-formula-"));
    const executable = join(prefix, "bin/mailkeep");
    const command = mailkeepCommand([]).map((word) => `'${word}'`);
    await Bun.write(executable, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
    await chmod(executable, 0o755);
    const ownSums = new Map(TARGETS.map((target) => [packageFile(VERSION, target), "0".repeat(64)]));
    await Bun.write(join(prefix, "mailkeep.rb"), formula(ownSums));
    const standIn = join(import.meta.dir, "homebrew-stand-in.rb");
    const { code, out, err } = await runProgram(["ruby", standIn, join(prefix, "mailkeep.rb"), prefix]);
    expect({ code, err, last: out.trim().split("\n").at(-1) }).toEqual({
      code: 0,
      err: "",
      last: "4 downloads, test passed",
    });
    await rm(prefix, { recursive: true });
  });
});
