// A base64 body, decoded or measured: its data, and not what stands behind that.
import { Base64Decoder, Base64Meter } from "./base64.ts";
import { Base64Extent } from "./base64-extent.ts";

export class Base64BodyDecoder {
  readonly #extent = new Base64Extent();
  readonly #decoder = new Base64Decoder();

  push(chunk: Uint8Array): Uint8Array {
    return joined(this.#extent.push(chunk).map((data) => this.#decoder.push(data)));
  }

  finish(): Uint8Array {
    const last = this.#extent.finish().map((data) => this.#decoder.push(data));
    return joined([...last, this.#decoder.finish()]);
  }
}

export class Base64BodyMeter {
  readonly #extent = new Base64Extent();
  readonly #meter = new Base64Meter();

  push(chunk: Uint8Array): void {
    for (const data of this.#extent.push(chunk)) this.#meter.push(data);
  }

  finish(): number {
    for (const data of this.#extent.finish()) this.#meter.push(data);
    return this.#meter.finish();
  }
}

export function decodeBase64Body(bytes: Uint8Array): Uint8Array {
  const decoder = new Base64BodyDecoder();
  return joined([decoder.push(bytes), decoder.finish()]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = pieces.filter(({ length }) => length > 0);
  return first && others.length === 0 ? first : Buffer.concat(pieces);
}
