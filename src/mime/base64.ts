// Forgiving base64 (RFC 2045 section 6.8): characters outside the alphabet are skipped, and
// padding ends a group wherever it stands, so concatenated encodings decode one after another.

const ALPHABET = 1;
const PADDING = 2;

const KIND = new Uint8Array(256);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
  KIND[char.charCodeAt(0)] = ALPHABET;
}
KIND[0x3d] = PADDING;

const decodedLength = (chars: number) => Math.floor((chars * 3) / 4);

/** Decodes a stream of chunks; keeps at most three characters between them. */
export class Base64Decoder {
  #rest = Buffer.alloc(0);

  push(chunk: Uint8Array): Uint8Array {
    const chars = Buffer.allocUnsafe(this.#rest.length + chunk.length);
    this.#rest.copy(chars);
    const out: Uint8Array[] = [];
    let start = 0;
    let end = this.#rest.length;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      const kind = KIND[byte];
      if (kind === ALPHABET) {
        chars[end++] = byte;
      } else if (kind === PADDING && end > start) {
        out.push(Buffer.from(chars.toString("latin1", start, end), "base64"));
        start = end;
      }
    }
    const whole = end - ((end - start) % 4);
    if (whole > start) out.push(Buffer.from(chars.toString("latin1", start, whole), "base64"));
    this.#rest = Buffer.from(chars.subarray(whole, end));
    return out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out);
  }

  finish(): Uint8Array {
    const last = Buffer.from(this.#rest.toString("latin1"), "base64");
    this.#rest = Buffer.alloc(0);
    return last;
  }
}

/** What a byte adds to a sum of several: characters of the alphabet count, padding is seen in the high bits. */
const PADDING_WEIGHT = 256;
const WEIGHT = Uint16Array.from(KIND, (kind) => (kind === PADDING ? PADDING_WEIGHT : kind));

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
