// Reads a zip file as `mailkeep export` writes it (PKWARE's APPNOTE 4.3), from its beginning to its end: before
// each file a header tells how long it is.
import { inflateRawSync } from "node:zlib";
import { crc32 } from "../../lib/crc32.ts";
import { chunksOf, type MailFile, UnreadableFileError } from "./mail-files.ts";

export interface ZippedFile {
  readonly name: string;
  /** Null when they are damaged, or too many. */
  readonly bytes: Uint8Array | null;
  /** Bytes of the zip file read so far. */
  readonly position: number;
}

const FILE_HEADER = 0x04034b50;
const HEADER_BYTES = 26;
/** What follows the files: the directory, or its end where it is empty. */
const DIRECTORY = [0x02014b50, 0x06054b50];
const STORED = 0;
const DEFLATED = 8;
/** Encrypted, or with the length after the file instead of before it. */
const OTHER_FORM = 0b1001;
/** A small file may say that it holds gigabytes, and do. */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 2;
/** Says that the length is elsewhere, in 64 bits. */
const MAX_32 = 0xffffffff;

export async function* readZip(file: MailFile, maxBytes = MAX_UNPACKED_BYTES): AsyncGenerator<ZippedFile> {
  const source = byteSource(chunksOf(file));
  const refusal = (reason: string) => new UnreadableFileError(`${file.path}: ${reason}`);
  const take = async (length: number) => {
    const bytes = await source.take(length);
    if (bytes.length < length) throw refusal("the zip file is cut off");
    return bytes;
  };
  for (;;) {
    const signature = (await take(4)).readUInt32LE();
    if (DIRECTORY.includes(signature)) return;
    if (signature !== FILE_HEADER) throw refusal("the zip file is damaged");
    const header = readHeader(await take(HEADER_BYTES));
    if (!isReadable(header)) throw refusal("not a zip file of Mailkeep; unpack it and import the folder");
    const name = (await take(header.nameBytes)).toString();
    await take(header.extraBytes);
    const bytes = unpack(header, await take(header.packed), maxBytes);
    const isFolder = name.endsWith("/");
    if (!isFolder) yield { name, bytes, position: source.position };
  }
}

const readHeader = (header: Buffer) => ({
  flags: header.readUInt16LE(2),
  method: header.readUInt16LE(4),
  crc: header.readUInt32LE(10),
  packed: header.readUInt32LE(14),
  size: header.readUInt32LE(18),
  nameBytes: header.readUInt16LE(22),
  extraBytes: header.readUInt16LE(24),
});

type FileHeader = ReturnType<typeof readHeader>;

const isReadable = ({ flags, method, packed }: FileHeader): boolean =>
  (flags & OTHER_FORM) === 0 && [STORED, DEFLATED].includes(method) && packed < MAX_32;

function unpack({ method, crc, size }: FileHeader, packed: Buffer, maxBytes: number): Uint8Array | null {
  try {
    const maxOutputLength = Math.min(Math.max(size, 1), maxBytes);
    const bytes = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength });
    return crc32(bytes) === crc ? bytes : null;
  } catch {
    return null;
  }
}

/** Bytes that come in pieces, handed out in pieces of the length that is asked for; fewer at the end. */
function byteSource(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const source = {
    /** Bytes handed out so far. */
    position: 0,
    async take(length: number): Promise<Buffer> {
      const pieces: Uint8Array[] = [rest];
      for (let available = rest.length; available < length; ) {
        const { done, value } = await iterator.next();
        if (done) break;
        pieces.push(value);
        available += value.length;
      }
      const bytes = pieces.length > 1 ? Buffer.concat(pieces) : rest;
      rest = bytes.subarray(length);
      source.position += Math.min(length, bytes.length);
      return bytes.subarray(0, length);
    },
  };
  return source;
}
