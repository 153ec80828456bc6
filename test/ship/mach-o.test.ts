// Signing macOS executables, tested with a small file: header, three load commands, code, signature.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { isSigned, signAdHoc } from "../../scripts/release/mach-o.ts";

const CODE_BYTES = 10_000 - (10_000 % 16);
const LINKEDIT_START = 8192;
const SEGMENT_BYTES = 72;

function segment(name: string, fileOffset: number, fileBytes: number): Buffer {
  const command = Buffer.alloc(SEGMENT_BYTES);
  command.writeUInt32LE(0x19, 0);
  command.writeUInt32LE(SEGMENT_BYTES, 4);
  command.write(name, 8, "latin1");
  command.writeBigUInt64LE(BigInt(fileOffset), 40);
  command.writeBigUInt64LE(BigInt(fileBytes), 48);
  return command;
}

/** The file ends with a signature that was made for another program, as Bun's executables do. */
function executable(): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(3, 16);
  const signature = Buffer.alloc(16);
  signature.writeUInt32LE(0x1d, 0);
  signature.writeUInt32LE(16, 4);
  signature.writeUInt32LE(CODE_BYTES, 8);
  signature.writeUInt32LE(64, 12);
  const linkedit = segment("__LINKEDIT", LINKEDIT_START, CODE_BYTES + 64 - LINKEDIT_START);
  const commands = Buffer.concat([header, segment("__TEXT", 0, 4096), linkedit, signature]);
  const code = Buffer.alloc(CODE_BYTES - commands.length, "code");
  return Buffer.concat([commands, code, Buffer.alloc(64)]);
}

describe("an executable for macOS", () => {
  const signed = Buffer.from(signAdHoc(executable(), "mailkeep"));
  const linkedit = 32 + SEGMENT_BYTES;
  const signatureCommand = linkedit + SEGMENT_BYTES;

  test("with the signature of another program is not signed", () => {
    expect(isSigned(executable())).toBe(false);
  });

  test("is valid after being signed again", () => {
    expect(isSigned(signed)).toBe(true);
  });

  test("has the sum of every page in its code directory, even of the last one, which is shorter", () => {
    const directory = signed.subarray(CODE_BYTES + 20);
    const hashes = directory.subarray(directory.readUInt32BE(16), directory.readUInt32BE(4));
    const pages = [0, 4096, 8192].map((at) => signed.subarray(at, Math.min(at + 4096, CODE_BYTES)));
    const sums = pages.map((page) => createHash("sha256").update(page).digest());
    expect(hashes.toString("hex")).toBe(Buffer.concat(sums).toString("hex"));
    expect(directory.toString("latin1", 88, 97)).toBe("mailkeep\0");
  });

  test("ends with its signature, and its load commands say so", () => {
    expect(signed.readUInt32LE(signatureCommand + 8) + signed.readUInt32LE(signatureCommand + 12)).toBe(
      signed.length,
    );
    expect(LINKEDIT_START + Number(signed.readBigUInt64LE(linkedit + 48))).toBe(signed.length);
  });

  test("is not signed any more when a byte changes", () => {
    const changed = Buffer.from(signed);
    changed.writeUInt8(changed.readUInt8(5000) ^ 1, 5000);
    expect(isSigned(changed)).toBe(false);
  });

  test("without a place for a signature is an error", () => {
    const bare = Buffer.alloc(64);
    expect(() => signAdHoc(bare, "mailkeep")).toThrow("has no place for a signature");
  });
});
