// Dot-stuffing for DATA (RFC 5321, 4.5.2): adds a dot before a leading dot, and a missing line break at the end. Lone
// CR and LF are sent as they are. If a lax server could see the mail's end there, `push` or `finish` throws.
import { DeliveryError } from "./delivery-error.ts";

type State = "line-start" | "text" | "cr" | "bare-line-start" | "bare-dot";

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

export class DotStuffer {
  #state: State = "line-start";

  /** Returns the bytes to send for this chunk. Throws a DeliveryError before a harmful byte is sent. */
  push(chunk: Uint8Array): Uint8Array {
    // At worst every line is a dot: three bytes become four.
    const out = new Uint8Array(chunk.length + Math.ceil(chunk.length / 3) + 1);
    let length = 0;
    for (const byte of chunk) {
      if (this.#state === "line-start" && byte === DOT) out[length++] = DOT;
      out[length++] = byte;
      this.#state = next(this.#state, byte);
    }
    return out.subarray(0, length);
  }

  /** The end of the data. Adds a final line break if the message has none, because DATA cannot end otherwise. */
  finish(): string {
    if (this.#state === "line-start") return ".\r\n";
    // Throws if the added line break would end a line of one dot that follows a lone CR or LF.
    next(this.#state, CR);
    return "\r\n.\r\n";
  }
}

function next(state: State, byte: number): State {
  if (state === "bare-dot" && (byte === CR || byte === LF)) {
    throw new DeliveryError(
      "unsendable",
      "a line break that is not CR LF stands before a line with a single dot, which could end the message early",
    );
  }
  if (byte === LF) return state === "cr" ? "line-start" : "bare-line-start";
  if (byte === CR) return "cr";
  // A lax server may see a new line after a lone CR, too.
  if (byte === DOT && (state === "bare-line-start" || state === "cr")) return "bare-dot";
  return "text";
}
