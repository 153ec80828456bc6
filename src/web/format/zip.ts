// The names and sizes in a ZIP archive, from its central directory (APPNOTE 4.3.12).

export interface ZipEntry {
  readonly name: string;
  readonly size: number;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;

/** Undefined: it is no archive, or a damaged one. */
export function readZip(buffer: ArrayBuffer): ZipEntry[] | undefined {
  const view = new DataView(buffer);
  let end = buffer.byteLength - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) return undefined;
  const entries: ZipEntry[] = [];
  const text = new TextDecoder();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY) break;
    const length = view.getUint16(at + 28, true);
    const name = text.decode(buffer.slice(at + ENTRY_BYTES, at + ENTRY_BYTES + length));
    entries.push({ name, size: view.getUint32(at + 24, true) });
    at += ENTRY_BYTES + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}
