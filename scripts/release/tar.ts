// Writes a gzipped tar archive (POSIX ustar), so that a release needs no tar on the machine.
import type { ArchiveEntry, ArchiveOptions } from "./archive-entry.ts";

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;

/** Offset and length of the fields we write, from POSIX.1-2024, "ustar Interchange Format". */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  typeflag: [156, 1],
  magic: [257, 8],
} as const;

const REGULAR_FILE = "0";
const MAGIC_AND_VERSION = "ustar\x0000";

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;

function header({ path, bytes, isExecutable }: ArchiveEntry, { modified }: ArchiveOptions): Buffer {
  if (Buffer.byteLength(path) > MAX_NAME_BYTES) throw new Error(`${path} is too long a name for tar`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const write = (field: keyof typeof FIELDS, text: string) => block.write(text, FIELDS[field][0], "latin1");
  write("name", path);
  write("mode", octal(isExecutable ? 0o755 : 0o644, FIELDS.mode[1]));
  write("uid", octal(0, FIELDS.uid[1]));
  write("gid", octal(0, FIELDS.gid[1]));
  write("size", octal(bytes.length, FIELDS.size[1]));
  write("mtime", octal(Math.floor(modified.getTime() / 1000), FIELDS.mtime[1]));
  write("typeflag", REGULAR_FILE);
  write("magic", MAGIC_AND_VERSION);
  // The checksum is computed with spaces in its own field.
  write("checksum", " ".repeat(FIELDS.checksum[1]));
  const sum = block.reduce((total, byte) => total + byte, 0);
  write("checksum", `${octal(sum, FIELDS.checksum[1] - 1)} `);
  return block;
}

const padding = (length: number) => Buffer.alloc((BLOCK_BYTES - (length % BLOCK_BYTES)) % BLOCK_BYTES);

export function tarGz(entries: readonly ArchiveEntry[], options: ArchiveOptions): Uint8Array {
  const blocks = entries.flatMap((entry) => [
    header(entry, options),
    entry.bytes,
    padding(entry.bytes.length),
  ]);
  const end = Buffer.alloc(2 * BLOCK_BYTES);
  return Bun.gzipSync(Buffer.concat([...blocks, end]), { level: 9 });
}
