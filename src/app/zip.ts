// A zip file as a stream (PKWARE's APPNOTE 4.3): a header and the data of each entry, then the directory, with 64-bit
// records where numbers need them.
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly time: Date;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
}

/** Entries up to this size are compressed in memory. Larger entries are stored uncompressed, as a stream. */
const COMPRESS_UP_TO_BYTES = 1024 * 1024;

/** In another thread, so that other requests go on. */
const deflate = promisify(deflateRaw);

const STORED = 0;
const DEFLATED = 8;
const UTF8_NAMES = 0x800;
const LOCAL_HEADER_BYTES = 30;
const VERSION = 20;
const VERSION_64 = 45;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

/** Kept for each file until the directory at the end of the zip is written. */
interface Placed {
  readonly name: string;
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
    const { placed, content } = await pack(entry, offset);
    directory.push(placed);
    yield localHeader(placed);
    yield* content;
    offset += LOCAL_HEADER_BYTES + Buffer.byteLength(placed.name) + placed.packed;
  }
  const start = offset;
  for (const placed of directory) {
    const record = directoryRecord(placed);
    yield record;
    offset += record.length;
  }
  yield endOfDirectory(directory.length, offset - start, start);
}

async function pack(entry: ZipEntry, offset: number) {
  const common = { name: entry.name, time: dosTime(entry.time), size: entry.size, offset };
  if (entry.size > COMPRESS_UP_TO_BYTES) {
    let crc = 0;
    for await (const chunk of entry.stream()) crc = Bun.hash.crc32(chunk, crc);
    return { placed: { ...common, method: STORED, crc, packed: entry.size }, content: entry.stream() };
  }
  const bytes = new Uint8Array(await entry.bytes());
  const crc = Bun.hash.crc32(bytes);
  const deflated = await deflate(bytes);
  if (deflated.length >= bytes.length) {
    return { placed: { ...common, method: STORED, crc, packed: bytes.length }, content: [bytes] };
  }
  return { placed: { ...common, method: DEFLATED, crc, packed: deflated.length }, content: [deflated] };
}

/** Little-endian. No number here needs more than six bytes. */
const numbers = (length: number) => (value: number) => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(value, 0, Math.min(length, 6));
  return bytes;
};
const [u16, u32, u64] = [numbers(2), numbers(4), numbers(8)];

/** The fields that the local header and the record in the directory share. */
const described = ({ name, time, method, crc, packed, size }: Placed) => [
  u16(UTF8_NAMES),
  u16(method),
  u32(time),
  u32(crc),
  u32(packed),
  u32(size),
  u16(Buffer.byteLength(name)),
];

const localHeader = (entry: Placed): Buffer =>
  Buffer.concat([u32(0x04034b50), u16(VERSION), ...described(entry), u16(0), Buffer.from(entry.name)]);

function directoryRecord(entry: Placed): Buffer {
  const isFar = entry.offset >= MAX_32;
  const extra = isFar ? Buffer.concat([u16(1), u16(8), u64(entry.offset)]) : Buffer.alloc(0);
  return Buffer.concat([
    u32(0x02014b50),
    u16(VERSION_64),
    u16(isFar ? VERSION_64 : VERSION),
    ...described(entry),
    u16(extra.length),
    // The length of a comment, the number of the disk, attributes
    Buffer.alloc(10),
    u32(isFar ? MAX_32 : entry.offset),
    Buffer.from(entry.name),
    extra,
  ]);
}

function endOfDirectory(count: number, bytes: number, start: number): Buffer {
  const entries = u16(Math.min(count, MAX_16));
  const places = [u32(Math.min(bytes, MAX_32)), u32(Math.min(start, MAX_32))];
  const end = Buffer.concat([u32(0x06054b50), u32(0), entries, entries, ...places, u16(0)]);
  if (count < MAX_16 && start < MAX_32 && bytes < MAX_32) return end;
  const versions = [u16(VERSION_64), u16(VERSION_64)];
  const places64 = [u64(count), u64(count), u64(bytes), u64(start)];
  const end64 = [u32(0x06064b50), u64(44), ...versions, u64(0), ...places64];
  const locator = [u32(0x07064b50), u32(0), u64(start + bytes), u32(1)];
  return Buffer.concat([...end64, ...locator, end]);
}

/** MS-DOS time and date in one number, in steps of two seconds since 1980. */
function dosTime(time: Date): number {
  const date =
    (Math.max(0, time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
