// A zip file written as a stream (PKWARE's APPNOTE 4.3): local header and data for each entry, the directory
// at the end, with the 64-bit records where numbers outgrow the old ones.
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly time: Date;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
  readonly isGone: IsGone;
}

/** Whether a failed read means that the mail was deleted. Then the entry is left out. */
export type IsGone = (error: unknown) => Promise<boolean>;

/** Entries up to this size are compressed in memory. Larger ones are stored uncompressed, as a stream. */
const COMPRESS_UP_TO_BYTES = 1024 * 1024;
/** Entries from this size on are compressed in another thread, so that other requests go on. */
const COMPRESS_ASIDE_FROM_BYTES = 128 * 1024;

const deflateAside = promisify(deflateRaw);

const STORED = 0;
const DEFLATED = 8;
const UTF8_NAMES = 0x800;
const VERSION = 20;
const VERSION_64 = 45;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

interface Placed {
  readonly name: Buffer;
  readonly time: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Placed[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const placed = yield* unlessGone(entry.isGone, packed(entry, offset));
    if (placed === null) continue;
    directory.push(placed);
    offset += localHeader(placed).length + placed.packed;
  }
  const start = offset;
  for (const placed of directory) {
    const record = directoryRecord(placed);
    yield record;
    offset += record.length;
  }
  yield endOfDirectory(directory.length, offset - start, start);
}

async function* packed(entry: ZipEntry, offset: number): AsyncGenerator<Uint8Array, Placed, void> {
  const { placed, content } = await pack(entry, offset);
  yield* headed(localHeader(placed), content);
  return placed;
}

/** Returns the result of the pieces, or null if the mail is gone before the first of them is written. */
export async function* unlessGone<Result>(
  isGone: IsGone,
  pieces: AsyncGenerator<Uint8Array, Result, void>,
): AsyncGenerator<Uint8Array, Result | null, void> {
  let isBegun = false;
  try {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) return value;
      isBegun = true;
      yield value;
    }
  } catch (error) {
    if (isBegun || !(await isGone(error))) throw error;
    return null;
  } finally {
    await pieces.return(undefined as Result);
  }
}

/** Puts a head before the first piece. If the first piece fails, nothing was written. */
export async function* headed(
  head: Uint8Array,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? Buffer.concat([head, piece]) : piece;
    isFirst = false;
  }
  if (isFirst) yield head;
}

async function pack(entry: ZipEntry, offset: number) {
  const common = { name: Buffer.from(entry.name), time: dosTime(entry.time), size: entry.size, offset };
  if (entry.size > COMPRESS_UP_TO_BYTES) {
    let crc = 0;
    for await (const chunk of entry.stream()) crc = Bun.hash.crc32(chunk, crc);
    return { placed: { ...common, method: STORED, crc, packed: entry.size }, content: entry.stream() };
  }
  const bytes = new Uint8Array(await entry.bytes());
  const crc = Bun.hash.crc32(bytes);
  const deflated =
    bytes.length > COMPRESS_ASIDE_FROM_BYTES ? await deflateAside(bytes) : Bun.deflateSync(bytes);
  if (deflated.length >= bytes.length) {
    return { placed: { ...common, method: STORED, crc, packed: bytes.length }, content: [bytes] };
  }
  return { placed: { ...common, method: DEFLATED, crc, packed: deflated.length }, content: [deflated] };
}

function localHeader({ name, time, method, crc, packed, size }: Placed): Buffer {
  return record(30, [name], (put) => {
    put.u32(0x04034b50);
    put.u16(VERSION);
    put.u16(UTF8_NAMES);
    put.u16(method);
    put.u32(time);
    put.u32(crc);
    put.u32(packed);
    put.u32(size);
    put.u16(name.length);
    put.u16(0);
  });
}

function directoryRecord({ name, time, method, crc, packed, size, offset }: Placed): Buffer {
  const isFar = offset >= MAX_32;
  const extra = isFar
    ? record(12, [], (put) => {
        put.u16(1);
        put.u16(8);
        put.u64(offset);
      })
    : Buffer.alloc(0);
  return record(46, [name, extra], (put) => {
    put.u32(0x02014b50);
    put.u16(VERSION_64);
    put.u16(isFar ? VERSION_64 : VERSION);
    put.u16(UTF8_NAMES);
    put.u16(method);
    put.u32(time);
    put.u32(crc);
    put.u32(packed);
    put.u32(size);
    put.u16(name.length);
    put.u16(extra.length);
    put.u16(0);
    put.u16(0);
    put.u16(0);
    put.u32(0);
    put.u32(isFar ? MAX_32 : offset);
  });
}

function endOfDirectory(count: number, bytes: number, start: number): Buffer {
  const end = record(22, [], (put) => {
    put.u32(0x06054b50);
    put.u16(0);
    put.u16(0);
    put.u16(Math.min(count, MAX_16));
    put.u16(Math.min(count, MAX_16));
    put.u32(Math.min(bytes, MAX_32));
    put.u32(Math.min(start, MAX_32));
    put.u16(0);
  });
  if (count < MAX_16 && start < MAX_32 && bytes < MAX_32) return end;
  const end64 = record(56, [], (put) => {
    put.u32(0x06064b50);
    put.u64(44);
    put.u16(VERSION_64);
    put.u16(VERSION_64);
    put.u32(0);
    put.u32(0);
    put.u64(count);
    put.u64(count);
    put.u64(bytes);
    put.u64(start);
  });
  const locator = record(20, [], (put) => {
    put.u32(0x07064b50);
    put.u32(0);
    put.u64(start + bytes);
    put.u32(1);
  });
  return Buffer.concat([end64, locator, end]);
}

interface Put {
  u16(value: number): void;
  u32(value: number): void;
  u64(value: number): void;
}

/** A little-endian record of fixed length, and what follows it. */
function record(length: number, rest: readonly Uint8Array[], fill: (put: Put) => void): Buffer {
  const fixed = Buffer.alloc(length);
  let at = 0;
  fill({
    u16: (value) => {
      at = fixed.writeUInt16LE(value, at);
    },
    u32: (value) => {
      at = fixed.writeUInt32LE(value >>> 0, at);
    },
    u64: (value) => {
      at = fixed.writeBigUInt64LE(BigInt(value), at);
    },
  });
  return Buffer.concat([fixed, ...rest]);
}

/** MS-DOS time and date in one number: two-second steps since 1980. */
function dosTime(time: Date): number {
  const date =
    (Math.max(0, time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
