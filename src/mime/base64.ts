// Forgiving base64 (RFC 2045 section 6.8): characters outside the alphabet are skipped, and
// padding ends a group wherever it stands, so concatenated encodings decode one after another.

/** Of each byte: what it stands for in the alphabet, or one of these. */
const PADDING_VALUE = 64;
const NO_VALUE = 65;
const VALUE = new Uint8Array(256).fill(NO_VALUE);
const CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (let value = 0; value < CHARS.length; value++) VALUE[CHARS.charCodeAt(value)] = value;
// The alphabet for addresses, RFC 4648 section 5.
VALUE[0x2d] = 62;
VALUE[0x5f] = 63;
VALUE[0x3d] = PADDING_VALUE;

const decodedLength = (chars: number) => Math.floor((chars * 3) / 4);

/** Decodes a stream of chunks; keeps at most three characters between them. */
export class Base64Decoder {
  /** Bits of an unfinished group, and how many characters they come from. */
  #bits = 0;
  #chars = 0;

  push(chunk: Uint8Array): Uint8Array {
    const out = Buffer.allocUnsafe(decodedLength(chunk.length + 3) + 1);
    let length = 0;
    let bits = this.#bits;
    let chars = this.#chars;
    for (let i = 0; i < chunk.length; i++) {
      const value = VALUE[chunk[i] as number] as number;
      if (value < PADDING_VALUE) {
        bits = (bits << 6) | value;
        if (++chars < 4) continue;
        out[length++] = bits >> 16;
        out[length++] = bits >> 8;
        out[length++] = bits;
        bits = 0;
        chars = 0;
      } else if (value === PADDING_VALUE) {
        length = writeRest(out, length, bits, chars);
        bits = 0;
        chars = 0;
      }
    }
    this.#bits = bits;
    this.#chars = chars;
    return out.subarray(0, length);
  }

  finish(): Uint8Array {
    const out = Buffer.allocUnsafe(2);
    const length = writeRest(out, 0, this.#bits, this.#chars);
    this.#bits = 0;
    this.#chars = 0;
    return out.subarray(0, length);
  }
}

/** The bytes of a group that ended early; a single character is not enough for one. */
function writeRest(out: Uint8Array, at: number, bits: number, chars: number): number {
  if (chars < 2) return at;
  const padded = bits << (6 * (4 - chars));
  out[at] = padded >> 16;
  if (chars === 2) return at + 1;
  out[at + 1] = padded >> 8;
  return at + 2;
}

/** What a byte adds to a sum of several: characters of the alphabet count, padding is seen in the high bits. */
const PADDING_WEIGHT = 256;
const WEIGHT = Uint16Array.from(VALUE, (value) => {
  if (value === PADDING_VALUE) return PADDING_WEIGHT;
  return value < PADDING_VALUE ? 1 : 0;
});

/** How many bytes a Base64Decoder gives for the same chunks, without making them. */
export class Base64Meter {
  #bytes = 0;
  #group = 0;

  push(chunk: Uint8Array): void {
    let group = 0;
    let i = 0;
    // Eight at a time without a branch: attachments are long and padding is rare.
    for (; i + 8 <= chunk.length; i += 8) {
      const sum =
        weigh(chunk, i) +
        weigh(chunk, i + 1) +
        weigh(chunk, i + 2) +
        weigh(chunk, i + 3) +
        weigh(chunk, i + 4) +
        weigh(chunk, i + 5) +
        weigh(chunk, i + 6) +
        weigh(chunk, i + 7);
      if (sum < PADDING_WEIGHT) {
        group += sum;
        continue;
      }
      this.#group += group;
      group = 0;
      this.#count(chunk, i, i + 8);
    }
    this.#group += group;
    this.#count(chunk, i, chunk.length);
  }

  finish(): number {
    return this.#bytes + decodedLength(this.#group);
  }

  #count(chunk: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const weight = weigh(chunk, i);
      if (weight <= 1) {
        this.#group += weight;
      } else {
        this.#bytes += decodedLength(this.#group);
        this.#group = 0;
      }
    }
  }
}

const weigh = (chunk: Uint8Array, at: number) => WEIGHT[chunk[at] as number] as number;

export function decodeBase64(chars: Uint8Array): Uint8Array {
  const decoder = new Base64Decoder();
  const head = decoder.push(chars);
  const tail = decoder.finish();
  return tail.length === 0 ? head : Buffer.concat([head, tail]);
}
