// A real small file system, where the machine lets us mount one.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  unmount(): void;
}

export function mountSmall(folder: string, bytes: number): SmallDisk | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const path = join(folder, "small");
  mkdirSync(path);
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path]);
  if (mounted.exitCode !== 0) return null;
  return { path, unmount: () => void Bun.spawnSync(["umount", "-l", path]) };
}
