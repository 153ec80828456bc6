// Reads a zip file as `mailkeep export` writes it (PKWARE's APPNOTE 4.3), from beginning to end:
// the header before each file has the file's length. Files are unpacked piece by piece.
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { formatSize } from "../../lib/numbers.ts";
import { fileOf, type MailFile, UnreadableFileError } from "./mail-files.ts";

interface ZippedFile extends MailFile {
  /** The path of this file within the zip file. */
  readonly name: string;
  /** Bytes of the zip file up to the end of this file. */
  readonly position: number;
}

const FILE_HEADER = 0x04034b50;
const HEADER_BYTES = 30;
/** One of these follows the last file: the directory, or its end if the zip has no files. */
const DIRECTORY = [0x02014b50, 0x06054b50];
const SIGNATURE_BYTES = 4;
const STORED = 0;
const DEFLATED = 8;
/** The flags of files that we cannot read: encrypted, or with the length after the data. */
const OTHER_FORM = 0b1001;
/** This value means that the length is stored elsewhere in 64 bits. */
const MAX_32 = 0xffffffff;
/** A small zip file may unpack to gigabytes. */
const MAX_UNPACKED_BYTES = 100 * 1024 ** 2;

export async function* readZip(zipPath: string, zip: Blob): AsyncGenerator<ZippedFile> {
  const refusal = (reason: string) => new UnreadableFileError(`${zipPath}: ${reason}`);
  for (let position = 0; ; ) {
    const head = Buffer.from(await zip.slice(position, position + HEADER_BYTES).bytes());
    const signature = head.length < SIGNATURE_BYTES ? null : head.readUInt32LE();
    if (signature !== null && DIRECTORY.includes(signature)) return;
    if (signature !== null && signature !== FILE_HEADER) throw refusal("the zip file is damaged");
    if (head.length < HEADER_BYTES) throw refusal("the zip file is incomplete");
    const header = readHeader(head);
    if (!isReadable(header))
      throw refusal("this kind of zip file cannot be read; unpack it and import the folder");
    const nameStart = position + HEADER_BYTES;
    const start = nameStart + header.nameBytes + header.extraBytes;
    position = start + header.packed;
    if (position > zip.size) throw refusal("the zip file is incomplete");
    const name = await zip.slice(nameStart, nameStart + header.nameBytes).text();
    if (name.endsWith("/")) continue;
    const path = `${zipPath}/${name}`;
    const packed = fileOf(zipPath, zip.slice(start, position));
    const chunks = () => unpack(header, packed.chunks(), path);
    yield { name, path, size: header.packed, blob: null, chunks, position };
  }
}

const readHeader = (header: Buffer) => ({
  flags: header.readUInt16LE(6),
  method: header.readUInt16LE(8),
  crc: header.readUInt32LE(14),
  packed: header.readUInt32LE(18),
  unpacked: header.readUInt32LE(22),
  nameBytes: header.readUInt16LE(26),
  extraBytes: header.readUInt16LE(28),
});

type FileHeader = ReturnType<typeof readHeader>;

const isReadable = ({ flags, method, packed }: FileHeader): boolean =>
  (flags & OTHER_FORM) === 0 && [STORED, DEFLATED].includes(method) && packed < MAX_32;

/** Throws for a damaged file, but perhaps only after its last byte, when the checksum is compared. */
async function* unpack(
  { method, crc, unpacked }: FileHeader,
  packed: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const damaged = (cause?: unknown) => new UnreadableFileError(`${path} is damaged`, { cause });
  let found = 0;
  let size = 0;
  try {
    if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge(path);
    for await (const bytes of method === STORED ? packed : inflate(packed)) {
      size += bytes.length;
      if (size > MAX_UNPACKED_BYTES) throw tooLarge(path);
      found = crc32(bytes, found);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof UnreadableFileError ? error : damaged(error);
  }
  if (found !== crc) throw damaged();
}

const tooLarge = (path: string) =>
  new UnreadableFileError(
    `${path} is larger than ${formatSize(MAX_UNPACKED_BYTES)}: unpack the zip file first`,
  );

/** `pipeline` needs a callback, although errors reach the reader anyway. */
const inflate = (packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(packed), createInflateRaw(), () => {});
