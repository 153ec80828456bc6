// Charsets that write two octets below 0x80 for a character, between shifts: ISO-2022-KR (RFC 1557) and HZ (RFC 1843).
// With their high bits set these are the octets of EUC-KR and GB2312, which TextDecoder reads.
import type { Decoder } from "./old-charsets.ts";

export type ShiftedCharset = "iso-2022-kr" | "hz-gb-2312";

const KOREAN = /^(?:cs)?iso-?2022[-_]?kr$/;
const CHINESE = /^hz(?:[-_]?gb(?:[-_]?2312)?)?$/;

/** Takes a label in lower case; null when it names another charset. */
export function shiftedCharset(label: string): ShiftedCharset | null {
  if (KOREAN.test(label)) return "iso-2022-kr";
  return CHINESE.test(label) ? "hz-gb-2312" : null;
}

export const isShiftedCharset = (name: string): name is ShiftedCharset =>
  name === "iso-2022-kr" || name === "hz-gb-2312";

type Write = (octet: number) => void;
/** Takes one octet after the other and remembers the shift. */
type Unshift = (octet: number, write: Write) => void;

const LF = 0x0a;
const CR = 0x0d;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const SPACE = 0x20;
const TILDE = 0x7e;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const HIGH_BIT = 0x80;
/** Names the charset that SHIFT_OUT means, of which there is one. */
const DESIGNATION = [0x1b, 0x24, 0x29, 0x43];

function unshiftKorean(): Unshift {
  let isShifted = false;
  let designated = 0;
  return (octet, write) => {
    if (octet === DESIGNATION[designated]) {
      designated = (designated + 1) % DESIGNATION.length;
      return;
    }
    designated = 0;
    if (octet === SHIFT_OUT) isShifted = true;
    else if (octet === SHIFT_IN) isShifted = false;
    else write(isShifted && octet > SPACE ? octet | HIGH_BIT : octet);
    if (octet === LF) isShifted = false;
  };
}

function unshiftChinese(): Unshift {
  let state: "text" | "tilde" | "first" | "second" | "first-tilde" = "text";
  const afterTilde = (octet: number, write: Write) => {
    // A tilde at the end of a line joins it with the next.
    if (octet === CR) return;
    state = octet === OPEN ? "first" : "text";
    if (octet === OPEN || octet === LF) return;
    write(TILDE);
    if (octet !== TILDE) write(octet);
  };
  return (octet, write) => {
    if (state === "tilde") return afterTilde(octet, write);
    if (state === "first-tilde" && octet === CLOSE) state = "text";
    else if (state === "text" && octet === TILDE) state = "tilde";
    else if (state === "first" && octet === TILDE) state = "first-tilde";
    else if (state === "text" || octet <= SPACE) {
      write(octet);
      if (octet === LF) state = "text";
    } else {
      write(octet | HIGH_BIT);
      state = state === "first" ? "second" : "first";
    }
  };
}

const KINDS = {
  "iso-2022-kr": { encoding: "euc-kr", start: unshiftKorean },
  "hz-gb-2312": { encoding: "gbk", start: unshiftChinese },
} as const;

export function createShiftedDecoder(name: ShiftedCharset): Decoder {
  const { encoding, start } = KINDS[name];
  const decoder = new TextDecoder(encoding);
  let unshift = start();
  return {
    decode: (bytes = new Uint8Array(), { stream = false } = {}) => {
      // A tilde of the bytes before may turn out to be one.
      const octets = new Uint8Array(bytes.length + 1);
      let length = 0;
      const write = (octet: number) => {
        octets[length++] = octet;
      };
      for (const byte of bytes) unshift(byte, write);
      if (!stream) unshift = start();
      return decoder.decode(octets.subarray(0, length), { stream });
    },
  };
}
