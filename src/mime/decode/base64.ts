// Forgiving base64 (RFC 2045 section 6.8). Padding ends the data, and plain text that a mailing list appends behind it
// does not belong to it. But some senders write one encoding behind another: lines of whole groups go on being data.
import { asBuffer } from "./charset.ts";

const JUNK = /[^A-Za-z0-9+/_-]+/g;
const MORE_DATA = /^[A-Za-z0-9+/][A-Za-z0-9+/=]*$/;
/** A longer line is looked at in pieces of whole groups. */
const MAX_LINE_CHARS = 1000;

/** Padding ends a group wherever it stands. */
export const decodeBase64 = (text: string): Buffer =>
  text.includes("=")
    ? Buffer.concat(text.split(/=+/).map((group) => Buffer.from(group, "base64")))
    : Buffer.from(text, "base64");

export class Base64Decoder {
  /** padding: in the line that holds the first padding. behind: in the lines that follow it. */
  #state: "data" | "padding" | "behind" | "over" = "data";
  /** Characters of a group or, behind padding, of a line that is not complete yet. */
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    return this.#decode(this.#rest + asBuffer(chunk).toString("latin1"), false);
  }

  finish(): Uint8Array {
    return this.#decode(this.#rest, true);
  }

  #decode(text: string, isLast: boolean): Uint8Array {
    const decoded: Uint8Array[] = [];
    this.#rest = "";
    let left = text;
    while (left !== "" && this.#state !== "over") {
      if (this.#state === "data") {
        const padding = left.indexOf("=");
        const data = (padding < 0 ? left : left.slice(0, padding)).replace(JUNK, "");
        const end = padding < 0 && !isLast ? data.length - (data.length % 4) : data.length;
        decoded.push(Buffer.from(data.slice(0, end), "base64"));
        if (padding >= 0) this.#state = "padding";
        else this.#rest = data.slice(end);
        left = padding < 0 ? "" : left.slice(padding);
      } else {
        const lf = left.indexOf("\n");
        const end = lf >= 0 && lf <= MAX_LINE_CHARS ? lf + 1 : MAX_LINE_CHARS;
        if (left.length < end && !isLast) {
          this.#rest = left;
          break;
        }
        decoded.push(this.#decodeLine(left.slice(0, end).trim()));
        left = left.slice(end);
      }
    }
    return decoded.length === 1 ? (decoded[0] as Uint8Array) : Buffer.concat(decoded);
  }

  #decodeLine(line: string): Uint8Array {
    const data = this.#state === "padding" ? line.replace(/^=+/, "") : line;
    const isMore = MORE_DATA.test(data) && data.length % 4 === 0;
    if (data !== "" && !isMore) this.#state = "over";
    else this.#state = data === "" || data.endsWith("=") ? "behind" : "data";
    return isMore ? decodeBase64(data) : new Uint8Array();
  }
}
