// A small file system, if the machine allows mounting one.
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Only root may mount, and the commands below are those of Linux. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0 && mountWorks();

function mountWorks(): boolean {
  const probe = mkdtempSync(join(tmpdir(), "mailkeep-mount-"));
  try {
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", probe]).exitCode === 0;
    if (mounted) Bun.spawnSync(["umount", "-l", probe]);
    return mounted;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

export interface SmallDisk extends Disposable {
  readonly path: string;
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

/** Makes a folder read-only until it is disposed of. Files that are open stay writable. */
export function coverReadOnly(path: string): Disposable {
  run("mount", "--bind", path, path);
  run("mount", "-o", "remount,bind,ro", path);
  return { [Symbol.dispose]: () => run("umount", "-l", path) };
}

export function mountSmallDisk(parent: string, bytes: number, files = 10_000): SmallDisk {
  const path = join(parent, "disk");
  mkdirSync(path);
  run("mount", "-t", "tmpfs", "-o", `size=${bytes},nr_inodes=${files}`, "tmpfs", path);
  return {
    path,
    [Symbol.dispose]: () => run("umount", "-l", path),
  };
}

/** Uses up all inodes, but no space. */
export function takeFiles(folder: string): void {
  mkdirSync(folder);
  try {
    for (let name = 0; ; name++) writeFileSync(join(folder, String(name)), "");
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOSPC") throw error;
  }
}

/** Fills the disk to the last byte, as other programs might. */
export function fillDisk(path: string): void {
  const fd = openSync(path, "w");
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096));
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOSPC") throw error;
  } finally {
    closeSync(fd);
  }
}
