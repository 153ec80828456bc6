// Signs macOS executables ad hoc, as linkers do. On x64 Bun keeps the signature of its runtime, which does
// not match the code that Bun adds, so macOS would end the process.
// The formats are those of Apple's <mach-o/loader.h> (little-endian) and <kern/cs_blobs.h> (big-endian).
import { createHash } from "node:crypto";

const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;

const SUPER_BLOB = 0xfade0cc0;
const SUPER_BLOB_BYTES = 20;
const CODE_DIRECTORY = 0xfade0c02;
const CODE_DIRECTORY_BYTES = 88;
const CODE_DIRECTORY_VERSION = 0x20400;
const AD_HOC_BY_LINKER = 0x20002;
const MAIN_BINARY = 1n;
const SHA256 = 2;
const SHA256_BYTES = 32;
const PAGE_SHIFT = 12;
const PAGE_BYTES = 1 << PAGE_SHIFT;
const SEGMENT_ALIGNMENT = 0x4000;

interface Layout {
  /** The offsets of the load commands for the signature and for the segment that contains it. */
  readonly signatureCommand: number;
  readonly linkeditCommand: number;
  /** The offset of the signature. Everything before it is signed. */
  readonly codeLimit: number;
  readonly textBytes: bigint;
}

const roundUp = (size: number, unit: number) => Math.ceil(size / unit) * unit;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

function writeWords(target: Buffer, words: readonly number[]): void {
  for (const [index, word] of words.entries()) target.writeUInt32BE(word, index * 4);
}

function* pagesOf(code: Buffer): Generator<Buffer> {
  for (let at = 0; at < code.length; at += PAGE_BYTES) yield code.subarray(at, at + PAGE_BYTES);
}

function layoutOf(file: Buffer): Layout {
  const commands = new Map<string, number>();
  let at = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const kind = file.readUInt32LE(at);
    if (kind === LC_CODE_SIGNATURE) commands.set("signature", at);
    if (kind === LC_SEGMENT_64)
      commands.set(file.toString("latin1", at + 8, at + 24).replace(/\0+$/, ""), at);
    at += file.readUInt32LE(at + 4);
  }
  const [signatureCommand, linkeditCommand, text] = ["signature", "__LINKEDIT", "__TEXT"].map((name) =>
    commands.get(name),
  );
  if (signatureCommand === undefined || linkeditCommand === undefined || text === undefined)
    throw new Error("this executable for macOS has no place for a signature");
  const codeLimit = file.readUInt32LE(signatureCommand + 8);
  return { signatureCommand, linkeditCommand, codeLimit, textBytes: file.readBigUInt64LE(text + 48) };
}

/** Whether the hashes in the signature match the file. */
export function isSigned(executable: Uint8Array): boolean {
  const file = Buffer.from(executable.buffer, executable.byteOffset, executable.length);
  const { codeLimit } = layoutOf(file);
  const directory = file.subarray(codeLimit + file.readUInt32BE(codeLimit + 16));
  if (directory.readUInt32BE(0) !== CODE_DIRECTORY || directory.readUInt32BE(32) !== codeLimit) return false;
  let hash = directory.readUInt32BE(16);
  for (const page of pagesOf(file.subarray(0, codeLimit))) {
    if (!directory.subarray(hash, hash + SHA256_BYTES).equals(sha256(page))) return false;
    hash += SHA256_BYTES;
  }
  return true;
}

/** Changes the load commands, so that a signature of this size fits at the end of the file. */
function makeRoom(
  file: Buffer,
  { signatureCommand, linkeditCommand, codeLimit }: Layout,
  size: number,
): void {
  const linkeditStart = Number(file.readBigUInt64LE(linkeditCommand + 40));
  const linkeditBytes = codeLimit + size - linkeditStart;
  file.writeUInt32LE(size, signatureCommand + 12);
  file.writeBigUInt64LE(BigInt(roundUp(linkeditBytes, SEGMENT_ALIGNMENT)), linkeditCommand + 32);
  file.writeBigUInt64LE(BigInt(linkeditBytes), linkeditCommand + 48);
}

function codeDirectory(code: Buffer, name: string, textBytes: bigint): Buffer {
  const hashes = [...pagesOf(code)].map(sha256);
  const hashOffset = CODE_DIRECTORY_BYTES + name.length + 1;
  const directory = Buffer.alloc(hashOffset);
  writeWords(directory, [
    CODE_DIRECTORY,
    hashOffset + hashes.length * SHA256_BYTES,
    CODE_DIRECTORY_VERSION,
    AD_HOC_BY_LINKER,
    hashOffset,
    CODE_DIRECTORY_BYTES, // where the name begins
    0, // special slots
    hashes.length,
    code.length,
  ]);
  directory.set([SHA256_BYTES, SHA256, 0, PAGE_SHIFT], 36);
  directory.writeBigUInt64BE(textBytes, 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(name, CODE_DIRECTORY_BYTES, "latin1");
  return Buffer.concat([directory, ...hashes]);
}

export function signAdHoc(executable: Uint8Array, name: string): Uint8Array {
  const layout = layoutOf(Buffer.from(executable));
  const code = Buffer.from(executable.subarray(0, layout.codeLimit));
  const pages = Math.ceil(code.length / PAGE_BYTES);
  const blobBytes = SUPER_BLOB_BYTES + CODE_DIRECTORY_BYTES + name.length + 1 + pages * SHA256_BYTES;
  const size = roundUp(blobBytes, 16);
  makeRoom(code, layout, size);
  const signature = Buffer.alloc(size);
  // The signature has one blob, the code directory, which is of kind 0.
  writeWords(signature, [SUPER_BLOB, blobBytes, 1, 0, SUPER_BLOB_BYTES]);
  signature.set(codeDirectory(code, name, layout.textBytes), SUPER_BLOB_BYTES);
  return Buffer.concat([code, signature]);
}
