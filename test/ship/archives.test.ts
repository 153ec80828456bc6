import { afterAll, describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pack, packageFile } from "../../scripts/release/package.ts";
import { formatSums, parseSums, sha256 } from "../../scripts/release/sums.ts";
import { ownTarget, type ReleaseTarget, TARGETS } from "../../scripts/release/targets.ts";
import { tempFolder } from "../support/folders.ts";

const modified = new Date("2026-01-02T03:04:06Z");
const executable = crypto.getRandomValues(new Uint8Array(60_000));
const documents = { LICENSE: Buffer.from("MIT\n"), "README.md": Buffer.from("# Mailkeep\n") };

function target(name: string): ReleaseTarget {
  const found = TARGETS.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no target ${name}`);
  return found;
}
const packed = (name: string) =>
  pack({ target: target(name), version: "1.2.3", executable, documents }, { modified });

const { path: folder, remove } = tempFolder();
afterAll(remove);

function run(...command: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd: folder });
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.toString();
}

test("a download is named after version, system, processor and variant", () => {
  expect(TARGETS.map((each) => packageFile("0.1.0", each))).toEqual([
    "mailkeep-0.1.0-linux-x64.tar.gz",
    "mailkeep-0.1.0-linux-x64-baseline.tar.gz",
    "mailkeep-0.1.0-linux-arm64.tar.gz",
    "mailkeep-0.1.0-linux-x64-musl.tar.gz",
    "mailkeep-0.1.0-linux-x64-musl-baseline.tar.gz",
    "mailkeep-0.1.0-linux-arm64-musl.tar.gz",
    "mailkeep-0.1.0-macos-x64.tar.gz",
    "mailkeep-0.1.0-macos-arm64.tar.gz",
    "mailkeep-0.1.0-windows-x64.zip",
  ]);
});

test("there is a download for this machine", () => {
  expect(ownTarget()?.name).toContain(process.arch);
});

test.each(["linux-x64", "windows-x64"])("the same files give the same %s download", (name) => {
  expect(sha256(packed(name))).toBe(sha256(packed(name)));
});

describe.skipIf(!Bun.which("tar") || process.platform === "win32")("the .tar.gz", () => {
  test("unpacks to an executable, the license and the README", async () => {
    await Bun.write(join(folder, "a.tar.gz"), packed("linux-x64"));
    run("tar", "-xzf", "a.tar.gz");
    const inside = join(folder, "mailkeep-1.2.3-linux-x64");
    expect(await Bun.file(join(inside, "mailkeep")).bytes()).toEqual(executable);
    expect(await Bun.file(join(inside, "LICENSE")).text()).toBe("MIT\n");
    expect(await Bun.file(join(inside, "README.md")).text()).toBe("# Mailkeep\n");
    const { mode, mtime } = await stat(join(inside, "mailkeep"));
    expect(mode & 0o777).toBe(0o755);
    expect(mtime).toEqual(modified);
    expect((await stat(join(inside, "LICENSE"))).mode & 0o777).toBe(0o644);
  });
});

describe.skipIf(!Bun.which("python3"))("the .zip", () => {
  test("is read by Python with the right sums and modes", async () => {
    await Bun.write(join(folder, "a.zip"), packed("windows-x64"));
    const script = `import zipfile
z = zipfile.ZipFile("a.zip")
assert z.testzip() is None
for i in z.infolist(): print(i.filename, i.file_size, oct(i.external_attr >> 16), i.date_time)`;
    expect(run("python3", "-c", script).trim().split("\n")).toEqual([
      "mailkeep-1.2.3-windows-x64/mailkeep.exe 60000 0o100755 (2026, 1, 2, 3, 4, 6)",
      "mailkeep-1.2.3-windows-x64/LICENSE 4 0o100644 (2026, 1, 2, 3, 4, 6)",
      "mailkeep-1.2.3-windows-x64/README.md 11 0o100644 (2026, 1, 2, 3, 4, 6)",
    ]);
  });
});

describe("SHA256SUMS", () => {
  const sums = new Map([
    ["b.tar.gz", sha256(Buffer.from("b"))],
    ["a.zip", sha256(Buffer.from("a"))],
  ]);

  test("is sorted and reads back", () => {
    const text = formatSums(sums);
    expect(text).toBe(`${sums.get("a.zip")}  a.zip\n${sums.get("b.tar.gz")}  b.tar.gz\n`);
    expect(parseSums(text)).toEqual(sums);
  });

  test("refuses an invalid line", () => {
    expect(() => parseSums("nonsense\n")).toThrow("not a line of SHA256SUMS: nonsense");
  });

  test.skipIf(!Bun.which("sha256sum"))("passes the check of sha256sum", async () => {
    await Bun.write(join(folder, "b.tar.gz"), "b");
    await Bun.write(join(folder, "a.zip"), "a");
    await Bun.write(join(folder, "SHA256SUMS"), formatSums(sums));
    expect(run("sha256sum", "-c", "SHA256SUMS")).toBe("a.zip: OK\nb.tar.gz: OK\n");
  });
});
