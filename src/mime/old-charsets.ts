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

const latin1 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

const pageDecoder = (page: string): Decoder => ({
  decode: (bytes = new Uint8Array()) =>
    latin1(bytes).replace(/[\x80-\xff]/g, (char) => page[char.charCodeAt(0) - 0x80] ?? char),
});

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_VALUES = new Map([...BASE64].map((char, value) => [char, value]));

/** A plus shifts to UTF-16 in base64, the first character that is none shifts back; a hyphen there is dropped. */
class Utf7Decoder implements Decoder {
  #mode: "direct" | "shifted" | "base64" = "direct";
  #bits = 0;
  #bitCount = 0;

  decode(bytes = new Uint8Array(), { stream = false } = {}): string {
    let text = "";
    for (const char of latin1(bytes))
      text += this.#mode === "direct" ? this.#direct(char) : this.#shifted(char);
    if (!stream) this.#mode = "direct";
    return text;
  }

  #direct(char: string): string {
    if (char !== "+") return char;
    this.#mode = "shifted";
    this.#bits = 0;
    this.#bitCount = 0;
    return "";
  }

  #shifted(char: string): string {
    const value = BASE64_VALUES.get(char);
    if (value === undefined) {
      const plus = this.#mode === "shifted" ? "+" : "";
      this.#mode = "direct";
      return char === "-" ? plus : plus + this.#direct(char);
    }
    this.#mode = "base64";
    this.#bits = (this.#bits << 6) | value;
    this.#bitCount += 6;
    if (this.#bitCount < 16) return "";
    this.#bitCount -= 16;
    const unit = this.#bits >>> this.#bitCount;
    this.#bits &= (1 << this.#bitCount) - 1;
    return String.fromCharCode(unit);
  }
}
