// Undoes a transfer encoding (RFC 2045 section 6), whole or as a stream.
import { Base64Decoder } from "./base64.ts";
import { QuotedPrintableDecoder } from "./quoted-printable.ts";
import { UuDecoder } from "./uuencode.ts";

export type TransferEncoding = "base64" | "quoted-printable" | "uuencode" | "identity";

export interface TransferDecoder {
  push(chunk: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

const DECODERS: Record<Exclude<TransferEncoding, "identity">, new () => TransferDecoder> = {
  base64: Base64Decoder,
  "quoted-printable": QuotedPrintableDecoder,
  uuencode: UuDecoder,
};

/** Null where there is nothing to decode. */
export const startDecoder = (encoding: TransferEncoding): TransferDecoder | null =>
  encoding === "identity" ? null : new DECODERS[encoding]();

/** `isCut` tells that more bytes follow: an octet at the end that is not all there is then left out. */
export function decodeBytes(encoding: TransferEncoding, bytes: Uint8Array, isCut: boolean): Uint8Array {
  const decoder = startDecoder(encoding);
  if (decoder === null) return bytes;
  const head = decoder.push(bytes);
  return isCut ? head : Buffer.concat([head, decoder.finish()]);
}

export function decodePart(
  encoding: TransferEncoding,
  source: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const decoder = startDecoder(encoding);
  if (decoder === null) return source;
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
