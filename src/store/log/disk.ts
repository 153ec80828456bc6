// The few calls that put bytes on disk or take them away, behind an interface so that a test can be a failing disk.
import { closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { FILE_MODE } from "./data-dir.ts";

export interface Disk {
  /** Creates a file, or empties it when a crash has left one. */
  create(path: string): number;
  /** Answers with the number of bytes written, which may be fewer than asked for. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Cuts a file off behind this many bytes. */
  cut(fd: number, size: number): void;
  /** Resolves when there is no such file. */
  remove(path: string): Promise<void>;
  /** Resolves when the bytes of a file are safe from a power cut. */
  sync(fd: number): Promise<void>;
}

export const realDisk: Disk = {
  create: (path) => openSync(path, "w", FILE_MODE),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  cut: ftruncateSync,
  remove: (path) => rm(path, { force: true }),
  sync: promisify(fdatasync),
};

/** Makes the names in a folder safe from a power cut. Windows has no such call and does it by itself. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
