// Decodes transfer encodings as streams: damage is tolerated, and the chunk size does not matter.
import { describe, expect, test } from "bun:test";
import { decodePart, readStructure, type TransferEncoding } from "../../src/mime/index.ts";

async function decode(encoding: TransferEncoding, encoded: string, chunkSize: number): Promise<string> {
  const bytes = Buffer.from(encoded, "latin1");
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkSize)
        controller.enqueue(bytes.subarray(at, at + chunkSize));
      controller.close();
    },
  });
  return Buffer.from(await Bun.readableStreamToArrayBuffer(decodePart(encoding, source))).toString("latin1");
}

const CASES: [encoding: TransferEncoding, encoded: string, decoded: string][] = [
  ["base64", "aGVsbG8=", "hello"],
  ["base64", "aGVs\r\nbG8=\r\n", "hello"],
  ["base64", "aGVsbG8", "hello"],
  ["base64", "aGVsbG8=aGVsbG8=", "hellohello"],
  ["base64", "aGVsbG8=\r\naGVs\r\nbG8=\r\n\r\naGVsbG8=", "hellohellohello"],
  ["base64", "aGk==aGk=\r\n=\r\n", "hihi"],
  ["base64", "aGVsbG8=\r\n\r\n____\r\nA list\r\n", "hello"],
  ["base64", "aGVsbG8=\r\n-- \r\nfour", "hello"],
  ["base64", "aGVsbG8=\r\nSent to the list\r\n", "hello"],
  ["base64", "aGVsbG8=\r\nFooter", "hello"],
  ["base64", "a!G*V s\tbG8=", "hello"],
  ["base64", "aGk_aGk-", "hi?hi>"],
  ["base64", "", ""],
  ["base64", "a", ""],
  ["quoted-printable", "a=3Db", "a=b"],
  ["quoted-printable", "soft=\r\nbreak", "softbreak"],
  ["quoted-printable", "soft= \t\r\nbreak", "softbreak"],
  ["quoted-printable", "soft=\nbreak", "softbreak"],
  ["quoted-printable", "padded \t\r\nline  \nend ", "padded\r\nline\nend "],
  ["quoted-printable", "kept=20\r\nend", "kept \r\nend"],
  ["quoted-printable", "100% = x =zz =4", "100% = x =zz =4"],
  ["quoted-printable", "lower =c3=a9", "lower \xc3\xa9"],
  ["quoted-printable", "end=", "end"],
  ["identity", "as = is\r\n", "as = is\r\n"],
];

describe("decoding", () => {
  for (const [encoding, encoded, decoded] of CASES) {
    test(`${encoding} ${JSON.stringify(encoded)}`, async () => {
      for (let chunkSize = 1; chunkSize <= encoded.length + 1; chunkSize++) {
        expect(await decode(encoding, encoded, chunkSize)).toBe(decoded);
      }
    });

    test(`${encoding} ${JSON.stringify(encoded)} is as long as the structure says`, () => {
      const header = encoding === "identity" ? "8bit" : encoding;
      const raw = Buffer.from(
        `Content-Type: a/b\r\nContent-Transfer-Encoding: ${header}\r\n\r\n${encoded}`,
        "latin1",
      );
      expect(readStructure(raw).root.size).toBe(decoded.length);
    });
  }
});
