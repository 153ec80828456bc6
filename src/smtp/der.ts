// The few pieces of DER (X.690) that a certificate is made of.

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(evenHex(length), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function evenHex(value: number): string {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

export const sequence = (...items: Uint8Array[]) => element(TAG.sequence, ...items);
export const set = (...items: Uint8Array[]) => element(TAG.set, ...items);
export const octetString = (content: Uint8Array) => element(TAG.octetString, content);
export const utf8String = (text: string) => element(TAG.utf8String, Buffer.from(text));
export const boolean = (value: boolean) => element(TAG.boolean, Buffer.from([value ? 0xff : 0]));

/** A context-specific tag: `explicit` wraps an element, `implicit` replaces its tag. */
export const explicit = (number: number, content: Uint8Array) => element(0xa0 | number, content);
export const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);

/** A non-negative integer, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  return element(TAG.integer, Buffer.from((digits[0] ?? 0) >= 0x80 ? [0] : []), digits);
}

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.from([unusedBits]), content);
}

/** From the dotted form, such as `1.2.840.10045.4.3.2`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** RFC 5280 section 4.1.2.5: two-digit years until 2049, four digits after. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? element(TAG.utcTime, Buffer.from(text.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(text));
}
