// Collects the start of an incoming message, up to the largest header that is searched, and matches patterns.

/** The rest of the header is not looked at. */
const MAX_HEADER_BYTES = 256 * 1024;
const END_OF_HEADER = /\r?\n\r?\n/;

export class HeaderStart {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** The chunk belongs to the caller. */
  push(chunk: Uint8Array): void {
    if (this.#bytes >= MAX_HEADER_BYTES) return;
    this.#chunks.push(new Uint8Array(chunk));
    const hasEnded = END_OF_HEADER.test(Buffer.from(chunk).toString("latin1"));
    this.#bytes = hasEnded ? MAX_HEADER_BYTES : this.#bytes + chunk.length;
  }

  /** The header, with or without some of the body. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** `*` stands for anything. Upper and lower case are the same. */
export function wildcard(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "isu");
  return (text) => expression.test(text);
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** `X-Test: checkout*`, or the name of a field alone. */
export function headerPattern(pattern: string): (fields: readonly Field[]) => boolean {
  const [name = "", ...value] = pattern.split(":");
  const isName = wildcard(name.trim());
  const isValue = wildcard(value.length === 0 ? "*" : value.join(":").trim());
  return (fields) => fields.some((field) => isName(field.name) && isValue(field.value));
}
