// Reads and writes bytes of files. The log is written through an interface, so that tests can
// simulate a failing disk.
import { closeSync, fdatasync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";

export interface Disk {
  /** Returns the number of written bytes, which may be smaller than requested. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  cut(fd: number, size: number): void;
  sync(fd: number): Promise<void>;
}

export const realDisk: Disk = {
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  cut: ftruncateSync,
  sync: promisify(fdatasync),
};

export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += disk.write(fd, bytes.subarray(done), position + done);
}

/** Returns fewer bytes than `length` only at the end of the file. */
export function readBytes(path: string, at: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(length);
  const fd = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
  } finally {
    closeSync(fd);
  }
}
