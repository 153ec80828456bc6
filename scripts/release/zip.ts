// Writes a zip archive (PKWARE APPNOTE 4.3), so that a release needs no zip on the machine.
import { crc32, deflateRawSync } from "node:zlib";
import type { ArchiveEntry, ArchiveOptions } from "./archive-entry.ts";

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_CENTRAL_DIRECTORY = 0x06054b50;
const VERSION_NEEDED = 20;
const MADE_ON_UNIX = 3 << 8;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const REGULAR_FILE_MODE = 0o100000;

/** Date and time in the format of MS-DOS, in steps of two seconds. */
function dosTime(when: Date): { time: number; date: number } {
  return {
    time: (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1),
    date: ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate(),
  };
}

type Field = readonly [bytes: 2 | 4, value: number];

function record(fields: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((total, [bytes]) => total + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

export function zip(entries: readonly ArchiveEntry[], { modified }: ArchiveOptions): Uint8Array {
  const { time, date } = dosTime(modified);
  const locals: Uint8Array[] = [];
  const centrals: Uint8Array[] = [];
  let offset = 0;
  for (const { path, bytes, isExecutable } of entries) {
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 9 });
    const shared: readonly Field[] = [
      [2, VERSION_NEEDED],
      [2, UTF8_NAMES],
      [2, DEFLATED],
      [2, time],
      [2, date],
      [4, crc32(bytes)],
      [4, data.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0], // extra field
    ];
    const mode = REGULAR_FILE_MODE | (isExecutable ? 0o755 : 0o644);
    const local = record([[4, LOCAL_HEADER], ...shared]);
    const central = record([
      [4, CENTRAL_HEADER],
      [2, MADE_ON_UNIX | VERSION_NEEDED],
      ...shared,
      [2, 0], // comment
      [2, 0], // disk
      [2, 0], // internal attributes
      [4, mode * 0x10000],
      [4, offset],
    ]);
    locals.push(local, name, data);
    centrals.push(central, name);
    offset += local.length + name.length + data.length;
  }
  const directory = Buffer.concat(centrals);
  const end = record([
    [4, END_OF_CENTRAL_DIRECTORY],
    [2, 0], // this disk
    [2, 0], // disk of the directory
    [2, entries.length],
    [2, entries.length],
    [4, directory.length],
    [4, offset],
    [2, 0], // comment
  ]);
  return Buffer.concat([...locals, directory, end]);
}
