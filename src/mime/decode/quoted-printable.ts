// Forgiving quoted-printable (RFC 2045 section 6.7): "=" that starts neither an octet nor a soft
// line break is kept; white space before a line end is transport padding and is dropped.

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

const HEX = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

const NOTHING = Buffer.alloc(0);

/** How much undecided white space is carried to the next chunk; more than that is content. */
const MAX_PADDING_BYTES = 1024;

const isPadding = (byte: number | undefined) => byte === SPACE || byte === TAB || byte === CR;

export class QuotedPrintableDecoder {
  /** A tail whose meaning the next chunk decides: white space, or "=" with what follows it. */
  #rest = NOTHING;

  push(chunk: Uint8Array): Uint8Array {
    return this.#decode(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), false);
  }

  finish(): Uint8Array {
    return this.#decode(this.#rest, true);
  }

  #decode(input: Uint8Array, last: boolean): Uint8Array {
    const out = Buffer.allocUnsafe(input.length);
    let length = 0;
    /** Output up to here is certain; after it stands white space that a line end would drop. */
    let solid = 0;
    let i = 0;
    this.#rest = NOTHING;
    while (i < input.length) {
      const byte = input[i] as number;
      if (byte === EQUALS) {
        const high = HEX[input[i + 1] ?? 0] as number;
        const low = HEX[input[i + 2] ?? 0] as number;
        if (high >= 0 && low >= 0) {
          out[length++] = high * 16 + low;
          i += 3;
        } else {
          let end = i + 1;
          while (isPadding(input[end]) && end - i < MAX_PADDING_BYTES) end++;
          const cut = end >= input.length || (high >= 0 && i + 2 >= input.length);
          if (cut && !last) {
            this.#rest = Buffer.from(input.subarray(i));
            return out.subarray(0, length);
          }
          if (input[end] === LF) {
            i = end + 1;
          } else if (cut && end >= input.length) {
            i = end;
          } else {
            out[length++] = EQUALS;
            i++;
          }
        }
        solid = length;
        continue;
      }
      if (byte === LF) {
        const afterCr = length > solid && out[length - 1] === CR;
        length = solid;
        if (afterCr) out[length++] = CR;
        out[length++] = LF;
        solid = length;
      } else {
        out[length++] = byte;
        if (!isPadding(byte)) solid = length;
      }
      i++;
    }
    if (last || length - solid > MAX_PADDING_BYTES) return out.subarray(0, length);
    this.#rest = Buffer.from(out.subarray(solid, length));
    return out.subarray(0, solid);
  }
}
