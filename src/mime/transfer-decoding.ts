// Undoing a transfer encoding (RFC 2045 section 6), whole or as a stream.
import { Base64BodyDecoder, decodeBase64Body } from "./base64-body.ts";
import type { TransferEncoding } from "./part-headers.ts";
import { decodeQuotedPrintable, QuotedPrintableDecoder } from "./quoted-printable.ts";

export function decodeBytes(encoding: TransferEncoding, bytes: Uint8Array): Uint8Array {
  if (encoding === "base64") return decodeBase64Body(bytes);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(bytes);
  return bytes;
}

const startDecoder = (encoding: "base64" | "quoted-printable") =>
  encoding === "base64" ? new Base64BodyDecoder() : new QuotedPrintableDecoder();

/** Of bytes that go on: without an octet that is not all there. */
export const decodeStart = (encoding: TransferEncoding, bytes: Uint8Array): Uint8Array =>
  encoding === "identity" ? bytes : startDecoder(encoding).push(bytes);

export function* decodeInSlices(
  encoding: TransferEncoding,
  slices: Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  if (encoding === "identity") return yield* slices;
  const decoder = startDecoder(encoding);
  for (const slice of slices) yield decoder.push(slice);
  yield decoder.finish();
}

export function decodePart(
  encoding: TransferEncoding,
  source: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  if (encoding === "identity") return source;
  const decoder = startDecoder(encoding);
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const decoded = decoder.push(chunk);
        if (decoded.length > 0) controller.enqueue(decoded);
      },
      flush(controller) {
        const decoded = decoder.finish();
        if (decoded.length > 0) controller.enqueue(decoded);
      },
    }),
  );
}
