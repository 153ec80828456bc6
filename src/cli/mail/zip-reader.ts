// Reads a zip file as `mailkeep export` writes it (PKWARE's APPNOTE 4.3), from its beginning to its end: before
// each file a header tells how long it is.
import { inflateRawSync } from "node:zlib";
import { crc32 } from "../../lib/crc32.ts";
import { chunksOf, type MailFile, UnreadableFileError } from "./mail-files.ts";

export interface ZippedFile {
  readonly name: string;
  readonly content: Uint8Array | "damaged" | "too large";
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
/** Says that the length is elsewhere, in 64 bits. */
const MAX_32 = 0xffffffff;
const SKIPPED_PIECE_BYTES = 64 * 1024;

/** A file that would have more than `maxBytes` is not held in memory, whatever its header says. */
export async function* readZip(file: MailFile, maxBytes: number): AsyncGenerator<ZippedFile> {
  const source = byteSource(chunksOf(file));
  const refusal = (reason: string) => new UnreadableFileError(`${file.path}: ${reason}`);
  const take = async (length: number) => {
    const bytes = await source.take(length);
    if (bytes.length < length) throw refusal("the zip file is cut off");
    return bytes;
  };
  const contentOf = async (header: FileHeader) => {
    if (header.packed <= maxBytes) return unpack(header, await take(header.packed), maxBytes);
    for (let left = header.packed; left > 0; left -= SKIPPED_PIECE_BYTES) {
      await take(Math.min(left, SKIPPED_PIECE_BYTES));
    }
    return "too large";
  };
  for (;;) {
    const signature = (await take(4)).readUInt32LE();
    if (DIRECTORY.includes(signature)) return;
    if (signature !== FILE_HEADER) throw refusal("the zip file is damaged");
    const header = readHeader(await take(HEADER_BYTES));
    if (!isReadable(header)) throw refusal("not a zip file of Mailkeep; unpack it and import the folder");
    const name = (await take(header.nameBytes)).toString();
    await take(header.extraBytes);
    const content = await contentOf(header);
    const isFolder = name.endsWith("/");
    if (!isFolder) yield { name, content, position: source.position };
  }
}

const readHeader = (header: Buffer) => ({
  flags: header.readUInt16LE(2),
  method: header.readUInt16LE(4),
  crc: header.readUInt32LE(10),
  packed: header.readUInt32LE(14),
  nameBytes: header.readUInt16LE(22),
  extraBytes: header.readUInt16LE(24),
});

type FileHeader = ReturnType<typeof readHeader>;

const isReadable = ({ flags, method, packed }: FileHeader): boolean =>
  (flags & OTHER_FORM) === 0 && [STORED, DEFLATED].includes(method) && packed < MAX_32;

function unpack({ method, crc }: FileHeader, packed: Buffer, maxOutputLength: number): ZippedFile["content"] {
  try {
    const bytes = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength });
    return crc32(bytes) === crc ? bytes : "damaged";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too large" : "damaged";
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
