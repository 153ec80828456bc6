// install.sh against a local server. Fake tools in PATH simulate another machine.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { runProgram } from "../support/mailkeep.ts";
import { RELEASE_VERSION, type ServedRelease, serveRelease } from "./release-folder.ts";

const SCRIPT = join(import.meta.dir, "../../install.sh");
const isWindows = process.platform === "win32";

/** The tools that the script needs. It also needs one that downloads: curl or wget. */
const TOOLS = [
  ...["uname", "ldd", "grep", "head", "cut", "mktemp", "rm", "mkdir", "tar", "gzip"],
  ...["find", "cp", "chmod", "mv", "sha256sum", "tr", "cat"],
];

interface Machine {
  readonly uname?: string;
  readonly cpu?: string;
  readonly ldd?: string;
  readonly hasAvx2?: boolean;
}

let scratch: string;
let release: ServedRelease;

beforeAll(() => {
  release = serveRelease();
});
afterAll(() => release.stop());

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "mailkeep-install-"));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

async function standIn(name: string, script: string): Promise<void> {
  const path = join(scratch, "stand-ins", name);
  await Bun.write(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

async function pretend({ uname, cpu, ldd, hasAvx2 }: Machine): Promise<void> {
  if (uname) await standIn("uname", `case "$1" in -s) echo '${uname}';; -m) echo '${cpu}';; esac`);
  if (ldd) await standIn("ldd", `echo '${ldd}'`);
  await standIn("sysctl", "exit 1");
  if (hasAvx2 !== undefined) {
    const real = Bun.which("grep");
    await standIn("grep", `case "$*" in *cpuinfo) exit ${hasAvx2 ? 0 : 1};; esac\nexec ${real} "$@"`);
  }
}

interface Run {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The working folder. */
  readonly folder?: string;
  readonly onlyTools?: readonly string[];
}

async function install({ args = [], environment = {}, folder, onlyTools }: Run = {}) {
  const standIns = join(scratch, "stand-ins");
  await mkdir(join(scratch, "tmp"), { recursive: true });
  if (onlyTools) {
    await mkdir(standIns, { recursive: true });
    for (const tool of onlyTools) await symlink(Bun.which(tool) ?? "", join(standIns, tool));
  }
  return runProgram(["/bin/sh", SCRIPT, ...args], {
    env: {
      PATH: onlyTools ? standIns : `${standIns}:${process.env.PATH}`,
      HOME: join(scratch, "home"),
      TMPDIR: join(scratch, "tmp"),
      MAILKEEP_BASE_URL: release.url,
      ...environment,
    },
    ...(folder && { cwd: folder }),
  });
}

/** Every file that the run left in its writable folders. */
async function leftBehind(): Promise<string[]> {
  const entries = await readdir(scratch, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("stand-ins"))
    .map((entry) => join(entry.parentPath, entry.name).slice(scratch.length + 1));
}

describe.skipIf(isWindows)("install.sh", () => {
  test("has no syntax error", () => {
    for (const shell of ["sh", "dash", "bash"]) {
      if (Bun.which(shell)) expect(Bun.spawnSync([shell, "-n", SCRIPT]).exitCode).toBe(0);
    }
  });

  test.skipIf(!Bun.which("shellcheck"))("passes shellcheck", () => {
    expect(Bun.spawnSync(["shellcheck", "-s", "sh", SCRIPT]).stdout.toString()).toBe("");
  });

  test("installs to ~/.local/bin, runs the installed program and leaves nothing else", async () => {
    const { out, err, code } = await install();
    expect({ err, code }).toEqual({ err: "", code: 0 });
    expect(out).toContain(`Installed mailkeep ${RELEASE_VERSION}`);
    expect(out).toContain("Not in your PATH yet");
    expect(await leftBehind()).toEqual(["home/.local/bin/mailkeep"]);
  });

  test.each([
    ["--to", { args: ["--to", "FOLDER"] }],
    ["--to=", { args: ["--to=FOLDER"] }],
    ["MAILKEEP_INSTALL_DIR", { environment: { MAILKEEP_INSTALL_DIR: "FOLDER" } }],
  ])("installs to the folder that %s names", async (_by, run: Run) => {
    const folder = join(scratch, "a folder");
    const named = JSON.parse(JSON.stringify(run).replace("FOLDER", folder));
    expect((await install(named)).code).toBe(0);
    expect(await leftBehind()).toEqual(["a folder/mailkeep"]);
  });

  test("prints the full path of the folder, even of a relative one", async () => {
    const { out, code } = await install({ args: ["--to", "bin"], folder: scratch });
    expect(code).toBe(0);
    expect(out).toContain(`to ${scratch}/bin/mailkeep\n`);
    expect(out).toContain(`PATH="${scratch}/bin:$PATH"`);
  });

  test("reads ~ in --to=~/bin as the home folder", async () => {
    expect((await install({ args: ["--to=~/bin"], folder: scratch })).code).toBe(0);
    expect(await leftBehind()).toEqual(["home/bin/mailkeep"]);
  });

  test("explains itself with --help and installs nothing", async () => {
    const { out, code } = await install({ args: ["--help"] });
    expect(code).toBe(0);
    expect(out).toContain("--to FOLDER");
    expect(await leftBehind()).toEqual([]);
  });

  test("replaces an older version", async () => {
    const path = join(scratch, "home/.local/bin/mailkeep");
    await Bun.write(path, "old");
    expect((await install()).code).toBe(0);
    expect(await Bun.file(path).text()).toContain("9.8.7");
    expect(await leftBehind()).toEqual(["home/.local/bin/mailkeep"]);
  });

  const glibc = "ldd (GNU libc) 2.36";
  const musl = "musl libc (x86_64)";
  test.each<[string, Machine]>([
    ["linux-x64", { uname: "Linux", cpu: "x86_64", ldd: glibc, hasAvx2: true }],
    ["linux-x64-baseline", { uname: "Linux", cpu: "x86_64", ldd: glibc, hasAvx2: false }],
    ["linux-arm64", { uname: "Linux", cpu: "aarch64", ldd: glibc, hasAvx2: false }],
    ["linux-x64-musl", { uname: "Linux", cpu: "x86_64", ldd: musl, hasAvx2: true }],
    ["linux-x64-musl-baseline", { uname: "Linux", cpu: "amd64", ldd: musl, hasAvx2: false }],
    ["linux-arm64-musl", { uname: "Linux", cpu: "arm64", ldd: musl }],
    ["macos-arm64", { uname: "Darwin", cpu: "arm64" }],
    ["macos-x64", { uname: "Darwin", cpu: "x86_64" }],
  ])("picks %s", async (target, machine) => {
    await pretend(machine);
    const { out, err } = await install();
    expect(err).toBe("");
    expect(out).toContain(`Downloading mailkeep-${RELEASE_VERSION}-${target}.tar.gz\n`);
    expect(out).toContain(`(${target})`);
  });

  test("picks the file for the Apple processor under Rosetta", async () => {
    await pretend({ uname: "Darwin", cpu: "x86_64" });
    await standIn("sysctl", "echo 1");
    expect((await install()).out).toContain("macos-arm64");
  });

  test.skipIf(!Bun.which("unzip"))("unpacks the zip for Windows", async () => {
    await pretend({ uname: "MINGW64_NT-10.0-22631", cpu: "x86_64" });
    expect((await install()).code).toBe(0);
    expect(await leftBehind()).toEqual(["home/.local/bin/mailkeep.exe"]);
  });

  test("gets another platform's file with --target and does not run it", async () => {
    const { out, code } = await install({ args: ["--target", "macos-arm64"] });
    expect(code).toBe(0);
    expect(out).toContain("macos-arm64.tar.gz to ");
  });

  test.each([RELEASE_VERSION, `v${RELEASE_VERSION}`, "latest"])(
    "gets the release with --version %s",
    async (version) => {
      expect((await install({ args: ["--version", version] })).code).toBe(0);
    },
  );

  test.skipIf(!Bun.which("wget"))("downloads with wget if there is no curl", async () => {
    const { err, code } = await install({ onlyTools: ["wget", ...TOOLS] });
    expect({ err, code }).toEqual({ err: "", code: 0 });
  });
});

describe.skipIf(isWindows)("install.sh says in one line what is wrong, and leaves nothing behind,", () => {
  async function expectFailure(run: Run, message: string | RegExp) {
    const { err, code } = await install(run);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toStartWith("mailkeep: ");
    expect(await leftBehind()).toEqual([]);
    expect(await readdir(join(scratch, "tmp"))).toEqual([]);
  }

  test.each([
    ["FreeBSD", "amd64", "no file for the system 'FreeBSD'"],
    ["Linux", "riscv64", "no file for the processor 'riscv64'"],
  ])("on %s %s", async (uname, cpu, message) => {
    await pretend({ uname, cpu });
    await expectFailure({}, message);
  });

  test("when the sum is wrong", async () => {
    const damaged = serveRelease();
    for (const [name, bytes] of damaged.files) {
      if (name.endsWith("gz")) damaged.files.set(name, Buffer.concat([bytes, Buffer.from("!")]));
    }
    await expectFailure({ environment: { MAILKEEP_BASE_URL: damaged.url } }, /the sum of .* is wrong/);
    await damaged.stop();
  });

  test("when the release has no file for this platform", async () => {
    await expectFailure({ args: ["--target", "plan9-x64"] }, "the release has no file for plan9-x64");
  });

  test("when the release has another version", async () => {
    await expectFailure({ args: ["--version", "1.2.3"] }, "in version 1.2.3");
  });

  test("when there is no release", async () => {
    await expectFailure(
      { environment: { MAILKEEP_BASE_URL: `${release.url}/nothing` } },
      /cannot download .*404/,
    );
  });

  test("when the server fails and curl reports every try", async () => {
    await standIn("curl", "for try in 1 2 3; do echo 'curl: (22) error: 500' >&2; done; exit 22");
    await expectFailure({}, /cannot download .*SHA256SUMS: curl: \(22\) error: 500\n$/);
  });

  test.each([[["--target", ".*"]], [["--version", "[0-9].*"]]])(
    "for a pattern instead of a name: %j",
    async (args) => {
      await expectFailure({ args }, "no such version or target");
    },
  );

  test("when it is interrupted while the file is copied", async () => {
    await standIn("cp", 'echo half > "$2"; kill -TERM $PPID; exit 0');
    const { code } = await install();
    expect(code).toBe(1);
    expect(await leftBehind()).toEqual([]);
  });

  test("when there is no temporary folder", async () => {
    await expectFailure({ environment: { TMPDIR: "/dev/null" } }, "cannot make a temporary folder");
  });

  test.each(["curl", "wget"].filter((tool) => Bun.which(tool)))(
    "when the download by %s is cut off, after a few attempts",
    async (tool) => {
      let attempts = 0;
      const reply = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\nhalf";
      const server = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { open: () => void attempts++, data: (socket) => void socket.end(reply) },
      });
      await expectFailure(
        {
          onlyTools: [tool, ...TOOLS],
          environment: { MAILKEEP_BASE_URL: `http://127.0.0.1:${server.port}` },
        },
        /cannot download .*SHA256SUMS/,
      );
      server.stop(true);
      expect(attempts).toBeWithin(1, 5);
    },
  );

  test.each(["curl", "wget"].filter((tool) => Bun.which(tool)))(
    "when https redirects to http, which %s does not follow",
    async (tool) => {
      const { cert, key } = createSelfSignedCertificate({ hosts: ["127.0.0.1"], now: new Date() });
      const redirecting = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        tls: { cert, key },
        fetch: ({ url }) => Response.redirect(release.url + new URL(url).pathname),
      });
      const trusted = join(scratch, "stand-ins/certificate.pem");
      await Bun.write(trusted, cert);
      await Bun.write(join(scratch, "stand-ins/wgetrc"), `ca_certificate = ${trusted}\n`);
      const environment = {
        MAILKEEP_BASE_URL: `https://127.0.0.1:${redirecting.port}`,
        CURL_CA_BUNDLE: trusted,
        WGETRC: join(scratch, "stand-ins/wgetrc"),
      };
      await expectFailure({ onlyTools: [tool, ...TOOLS], environment }, /cannot download .*SHA256SUMS/);
      await redirecting.stop(true);
    },
  );

  test("when no server answers", async () => {
    await expectFailure(
      { environment: { MAILKEEP_BASE_URL: `http://${CLOSED_ADDRESS}` } },
      "cannot download",
    );
  });

  test("when the executable does not run on this machine", async () => {
    const broken = serveRelease("echo 'Illegal instruction' >&2; exit 132");
    await expectFailure({ environment: { MAILKEEP_BASE_URL: broken.url } }, /does not run here: Illegal/);
    await broken.stop();
  });

  test("when the folder cannot be made", async () => {
    await expectFailure({ args: ["--to", "/dev/null/bin"] }, "cannot make the folder /dev/null/bin");
  });

  test.skipIf(process.platform !== "linux")(
    "when the folder cannot be written to, not even by root",
    async () => {
      await expectFailure({ args: ["--to", "/proc"] }, "cannot write to /proc");
    },
  );

  test("when the copy fails, as on a full disk", async () => {
    await standIn("cp", "exit 1");
    await expectFailure({}, "cannot write to");
  });

  test("when there is nothing to download with", async () => {
    await expectFailure({ onlyTools: ["uname", "grep", "ldd"] }, "needs curl or wget");
  });

  test("when there is nothing to check the sum with", async () => {
    await expectFailure(
      { onlyTools: ["uname", "grep", "ldd", "curl"] },
      "needs sha256sum, shasum or openssl",
    );
  });

  test.each([
    [["--too", "x"], "unknown option '--too'"],
    [["--to"], "--to needs a value"],
    [["--to", ""], "--to needs a value"],
    [["--to="], "--to needs a value"],
  ])("for %j", async (args, message) => {
    await expectFailure({ args }, message);
  });

  test.each([[[]], [["--to=~/bin"]]])("when HOME is not set, for %j", async (args) => {
    await expectFailure({ args, environment: { HOME: "" } }, "HOME is not set");
  });
});
