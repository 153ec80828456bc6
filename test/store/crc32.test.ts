import { expect, test } from "bun:test";
import { crc32, crc32OfFew } from "../../src/store/log/crc32.ts";

test.each([
  ["nothing", ""],
  ["the bytes of the standard's example", "123456789"],
  ["a header of a record", "0123456789abcdef"],
])("a few bytes have the same checksum as many: %s", (_name, text) => {
  const bytes = Buffer.from(`..${text}..`);
  for (const seed of [0, 1, 0xdead_beef, 0xffff_ffff]) {
    expect(crc32OfFew(bytes, 2, bytes.length - 2, seed)).toBe(crc32(Buffer.from(text), seed));
  }
});
