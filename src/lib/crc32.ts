// CRC-32 of bytes, seeded: crc32(b, crc32(a)) is the checksum of a and b together.

export const crc32 = (bytes: Uint8Array, seed = 0): number =>
  Bun.hash.crc32(bytes as Uint8Array<ArrayBuffer>, seed);
