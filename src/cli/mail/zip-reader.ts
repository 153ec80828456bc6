// Reads a zip file as `mailkeep export` writes it (PKWARE's APPNOTE 4.3), from beginning to end: the header before each
// file has the file's length. Files are unpacked piece by piece.
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { chunksOf, type MailFile, UnreadableFileError } from "./mail-files.ts";

interface ZippedFile extends MailFile {
  /** Within the zip file. */
  readonly name: string;
  /** May be called more than once. Fails at the end if the file is damaged. */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
  /** Bytes of the zip file up to here. */
  readonly position: number;
}

const FILE_HEADER = 0x04034b50;
const SIGNATURE_BYTES = 4;
const HEADER_BYTES = 26;
/** Signatures after the last file: of the directory, or of the directory's end if the zip has no files. */
const DIRECTORY = [0x02014b50, 0x06054b50];
const STORED = 0;
const DEFLATED = 8;
/** The flags of an encrypted file and of a file whose length follows its data. */
const OTHER_FORM = 0b1001;
/** This value means that the length is stored elsewhere in 64 bits. */
const MAX_32 = 0xffffffff;
const AHEAD_BYTES = 64 * 1024;

export async function* readZip(file: MailFile): AsyncGenerator<ZippedFile> {
  const refusal = (reason: string) => new UnreadableFileError(`${file.path}: ${reason}`);
  let position = 0;
  const skip = (length: number) => {
    position += length;
    if (position > file.size) throw refusal("the zip file is cut off");
  };
  /** Most files in a zip are small, so several are read at once. */
  let ahead = { start: 0, bytes: Buffer.alloc(0) };
  const take = async (length: number) => {
    const start = position;
    skip(length);
    if (position > ahead.start + ahead.bytes.length) {
      const range = { start, end: Math.max(position, start + AHEAD_BYTES) };
      ahead = { start, bytes: Buffer.concat(await Array.fromAsync(chunksOf(file, range))) };
    }
    return ahead.bytes.subarray(start - ahead.start, position - ahead.start);
  };
  for (;;) {
    const signature = (await take(SIGNATURE_BYTES)).readUInt32LE();
    if (DIRECTORY.includes(signature)) return;
    if (signature !== FILE_HEADER) throw refusal("the zip file is damaged");
    const header = readHeader(await take(HEADER_BYTES));
    if (!isReadable(header)) throw refusal("not a zip file of Mailkeep; unpack it and import the folder");
    const name = (await take(header.nameBytes)).toString();
    skip(header.extraBytes);
    const start = position;
    skip(header.packed);
    const end = position;
    const path = `${file.path}/${name}`;
    const chunks = () => unpack(header, chunksOf(file, { start, end }), path);
    const isFolder = name.endsWith("/");
    if (!isFolder) yield { name, path, size: header.packed, chunks, position };
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

async function* unpack(
  { method, crc }: FileHeader,
  packed: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const damaged = (cause?: unknown) => new UnreadableFileError(`${path} is damaged`, { cause });
  let found = 0;
  try {
    for await (const bytes of method === STORED ? packed : inflate(packed)) {
      found = crc32(bytes, found);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof UnreadableFileError ? error : damaged(error);
  }
  if (found !== crc) throw damaged();
}

/** `pipeline` needs a callback, although errors reach the reader anyway. */
const inflate = (packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(packed), createInflateRaw(), () => {});
