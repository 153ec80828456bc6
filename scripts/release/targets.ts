// The platforms we ship for, by the names that downloads carry.
import { readFileSync } from "node:fs";

export interface ReleaseTarget {
  /** The last part of the download's name, before `.tar.gz` or `.zip`. */
  readonly name: string;
  /** Bun's name of the runtime that is compiled in. */
  readonly runtime: Bun.Build.CompileTarget;
  readonly archive: "tar.gz" | "zip";
  readonly executable: "mailkeep" | "mailkeep.exe";
}

const unix = (name: string, runtime: Bun.Build.CompileTarget): ReleaseTarget => ({
  name,
  runtime,
  archive: "tar.gz",
  executable: "mailkeep",
});

/**
 * "baseline" is for x64 processors without AVX2. Since Bun 1.4 the runtimes with and without
 * "baseline" are the same.
 */
export const TARGETS: readonly ReleaseTarget[] = [
  unix("linux-x64", "bun-linux-x64"),
  unix("linux-x64-baseline", "bun-linux-x64-baseline"),
  unix("linux-arm64", "bun-linux-arm64"),
  unix("linux-x64-musl", "bun-linux-x64-musl"),
  unix("linux-x64-musl-baseline", "bun-linux-x64-baseline-musl"),
  unix("linux-arm64-musl", "bun-linux-arm64-musl"),
  unix("macos-x64", "bun-darwin-x64"),
  unix("macos-arm64", "bun-darwin-arm64"),
  { name: "windows-x64", runtime: "bun-windows-x64", archive: "zip", executable: "mailkeep.exe" },
];

/** Checks which libc this process has loaded: musl may be installed beside glibc. */
function linuxName(arch: string): string {
  const isMusl = readFileSync("/proc/self/maps", "utf8").includes("/ld-musl-");
  const isBaseline = arch === "x64" && !/\bavx2\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
  return ["linux", arch, isMusl && "musl", isBaseline && "baseline"].filter(Boolean).join("-");
}

const OS_NAMES: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" };

export function ownTarget(): ReleaseTarget | undefined {
  const { platform, arch } = process;
  const name = platform === "linux" ? linuxName(arch) : `${OS_NAMES[platform] ?? platform}-${arch}`;
  return TARGETS.find((target) => target.name === name);
}
