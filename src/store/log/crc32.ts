// CRC-32 of bytes, seeded: crc32(b, crc32(a)) is the checksum of a and b together.

export const crc32 = (bytes: Uint8Array, seed = 0): number =>
  Bun.hash.crc32(bytes as Uint8Array<ArrayBuffer>, seed);

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

/** For a few bytes: calling the runtime and making a view would take longer. */
export function crc32OfFew(bytes: Uint8Array, from: number, to: number, seed = 0): number {
  let crc = ~seed;
  for (let at = from; at < to; at++)
    crc = (TABLE[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
