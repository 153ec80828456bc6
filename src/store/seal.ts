// A file beside an index that was closed in good order, with the hash of all its bytes. SQLite has no checksums: bytes
// that changed meanwhile would be served as truth. It goes as soon as the index is used again.
import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { FILE_MODE } from "./log/data-dir.ts";
import { assertFile } from "./log/file-kind.ts";

/** Larger files have none: hashing them would hold up the start. */
const SEALED_BYTES = 256 << 20;
const READ_BYTES = 1 << 20;

export const sealPath = (path: string): string => `${path}.seal`;

export function writeSeal(path: string): void {
  try {
    if (statSync(path).size <= SEALED_BYTES) writeFileSync(sealPath(path), sealOf(path), { mode: FILE_MODE });
  } catch {
    removeSeal(path);
  }
}

export function removeSeal(path: string): void {
  rmSync(sealPath(path), { force: true });
}

export function checkSeal(path: string): "none" | "whole" | "broken" {
  const seal = readSeal(path);
  if (seal === null) return "none";
  return seal === sealOf(path) ? "whole" : "broken";
}

/** Null also for one that was cut short: a kill in the middle of writing it has changed nothing of the index. */
function readSeal(path: string): string | null {
  try {
    assertFile(sealPath(path));
    const seal = readFileSync(sealPath(path), "utf8");
    return seal.endsWith("\n") ? seal : null;
  } catch {
    return null;
  }
}

function sealOf(path: string): string {
  const fd = openSync(path, "r");
  try {
    const buffer = new Uint8Array(READ_BYTES);
    let [hash, size] = [0n, 0];
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      hash = BigInt(Bun.hash(buffer.subarray(0, read), hash));
      size += read;
    }
    return `${size} ${hash.toString(16)}\n`;
  } finally {
    closeSync(fd);
  }
}
