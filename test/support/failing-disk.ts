// A real disk that fails under who uses it: the system makes it read-only, also for files that are open.
// Linux's ext4 does that after an error, and lets an error be asked for.
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { canMount } from "./small-disk.ts";

const DISK_BYTES = 32 << 20;

export interface FailingDisk extends Disposable {
  readonly path: string;
  /** From now on nothing can be written, whatever is open. */
  fail(): void;
  /** Checked and mounted again; nothing may have a file on it open. */
  repair(): void;
}

/** Needs root, loop devices and ext4. */
export const canFailDisk = canMount && Bun.which("mkfs.ext4") !== null && probe();

function probe(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-disk-"));
  try {
    using disk = mountFailingDisk(folder);
    disk.fail();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function mountFailingDisk(parent: string): FailingDisk {
  const image = join(parent, "disk.img");
  const path = join(parent, "disk");
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, DISK_BYTES);
  run("mkfs.ext4", "-q", "-F", image);
  const device = run("losetup", "--find", "--show", image);
  const mount = () => run("mount", "-o", "errors=remount-ro", device, path);
  try {
    mount();
  } catch (error) {
    run("losetup", "-d", device);
    throw error;
  }
  return {
    path,
    fail: () => {
      const trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
      if (!/^\/dev\/loop\d+$/.test(device) || !existsSync(trigger)) throw new Error(`no ${trigger}`);
      writeFileSync(trigger, "asked for");
    },
    repair: () => {
      run("umount", path);
      // 1: there was something to repair.
      if (Bun.spawnSync(["fsck.ext4", "-fy", device]).exitCode > 1) throw new Error("fsck.ext4 failed");
      mount();
    },
    [Symbol.dispose]: () => {
      run("umount", "-l", path);
      run("losetup", "-d", device);
    },
  };
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString().trim();
}
