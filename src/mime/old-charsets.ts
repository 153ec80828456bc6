// Charsets of old mail that TextDecoder does not know: the code pages of DOS, and UTF-7 (RFC 2152).

export interface Decoder {
  /** With `stream`, what is incomplete at the end waits for the next bytes. */
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

/** What the bytes from 0x80 on stand for. */
const CODE_PAGES = {
  ibm437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ibm852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  ibm858:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
} as const;

export type OldCharset = keyof typeof CODE_PAGES | "utf-7";

const CODE_PAGE = /^(?:cp|ibm|dos)?[-_]?(?:00)?(437|850|852|858)$/;
const UTF_7 = /^(?:unicode-1-1-|cs)?utf-?7$/;

/** Takes a label in lower case; null when it names another charset. */
export function oldCharset(label: string): OldCharset | null {
  if (UTF_7.test(label)) return "utf-7";
  const page = CODE_PAGE.exec(label)?.[1];
  return page === undefined ? null : (`ibm${page}` as OldCharset);
}

export const isOldCharset = (name: string): name is OldCharset => name === "utf-7" || name in CODE_PAGES;

export function createOldDecoder(name: OldCharset): Decoder {
  return name === "utf-7" ? new Utf7Decoder() : pageDecoder(CODE_PAGES[name]);
}

/** One string, where characters put together one by one would be millions, and take long when they are read. */
const textOf = (units: Uint16Array, length: number): string =>
  Buffer.from(units.buffer, units.byteOffset, 2 * length).toString("utf16le");

function pageDecoder(page: string): Decoder {
  const table = Uint16Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 ? byte : page.charCodeAt(byte - 0x80),
  );
  return {
    decode: (bytes = new Uint8Array()) => {
      const units = new Uint16Array(bytes);
      for (let at = 0; at < units.length; at++) units[at] = table[units[at] as number] as number;
      return textOf(units, units.length);
    },
  };
}

const PLUS = 0x2b;
const HYPHEN = 0x2d;
const NO_VALUE = -1;
const BASE64_VALUES = Int8Array.from({ length: 256 }, (_, byte) =>
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(String.fromCharCode(byte)),
);

/** A plus shifts to UTF-16 in base64, the first character that is none shifts back; a hyphen there is dropped. */
class Utf7Decoder implements Decoder {
  #mode: "direct" | "shifted" | "base64" = "direct";
  #bits = 0;
  #bitCount = 0;
  #units = new Uint16Array();
  #length = 0;

  decode(bytes = new Uint8Array(), { stream = false } = {}): string {
    // A plus of the bytes before may turn out to be one.
    this.#units = new Uint16Array(bytes.length + 1);
    this.#length = 0;
    for (const byte of bytes) {
      if (this.#mode === "direct") this.#direct(byte);
      else this.#shifted(byte);
    }
    if (!stream) this.#mode = "direct";
    return textOf(this.#units, this.#length);
  }

  #write(unit: number): void {
    this.#units[this.#length++] = unit;
  }

  #direct(byte: number): void {
    if (byte !== PLUS) {
      this.#write(byte);
      return;
    }
    this.#mode = "shifted";
    this.#bits = 0;
    this.#bitCount = 0;
  }

  #shifted(byte: number): void {
    const value = BASE64_VALUES[byte] as number;
    if (value === NO_VALUE) {
      if (this.#mode === "shifted") this.#write(PLUS);
      this.#mode = "direct";
      if (byte !== HYPHEN) this.#direct(byte);
      return;
    }
    this.#mode = "base64";
    this.#bits = (this.#bits << 6) | value;
    this.#bitCount += 6;
    if (this.#bitCount < 16) return;
    this.#bitCount -= 16;
    this.#write(this.#bits >>> this.#bitCount);
    this.#bits &= (1 << this.#bitCount) - 1;
  }
}
