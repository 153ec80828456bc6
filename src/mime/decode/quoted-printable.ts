// Forgiving quoted-printable (RFC 2045 section 6.7): "=" that starts neither an octet nor a soft line break is kept;
// white space before a line end is transport padding and is dropped.

const PADDING = /(?<![ \t\r])[ \t\r]+(?=\n)/g;
const ENCODED = /=(?:([0-9A-Fa-f]{2})|[ \t\r]*\n)/g;
/** More white space than this is content. */
const MAX_PADDING_CHARS = 1024;

export class QuotedPrintableDecoder {
  /** The end of what came, as long as the next octets decide its meaning. */
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    const octets = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const text = this.#rest + octets.toString("latin1");
    const end = undecidedFrom(text);
    this.#rest = text.slice(end);
    return decode(text.slice(0, end));
  }

  finish(): Uint8Array {
    return decode(this.#rest.replace(/=[ \t\r]*$/, ""));
  }
}

const decode = (text: string): Uint8Array =>
  Buffer.from(
    text
      .replace(PADDING, (padding) => (padding.endsWith("\r") ? "\r" : ""))
      .replace(ENCODED, (_, hex?: string) =>
        hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    "latin1",
  );

/** Where white space at the end begins, or "=" with what follows it. */
function undecidedFrom(text: string): number {
  let end = text.length;
  while (end > text.length - MAX_PADDING_CHARS && /[ \t\r]/.test(text[end - 1] ?? "")) end--;
  if (text[end - 1] === "=") return end - 1;
  return end === text.length && text[end - 2] === "=" ? end - 2 : end;
}
