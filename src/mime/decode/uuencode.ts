// uuencode, as old senders name it in Content-Transfer-Encoding. Lines before "begin" and behind "end" are no data.

const BEGIN = /^begin(?:-base64)? [0-7]{3,4} /;
const MAX_LINE_CHARS = 1000;

export class UuDecoder {
  #state: "before" | "data" | "over" = "before";
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    const lines = (this.#rest + Buffer.from(chunk).toString("latin1")).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, MAX_LINE_CHARS);
    return this.#decode(lines);
  }

  finish(): Uint8Array {
    return this.#decode([this.#rest]);
  }

  #decode(lines: readonly string[]): Uint8Array {
    const decoded: Uint8Array[] = [];
    for (const written of lines) {
      const line = written.trimEnd();
      if (this.#state === "before" && BEGIN.test(line)) this.#state = "data";
      else if (this.#state === "data" && line === "end") this.#state = "over";
      else if (this.#state === "data") decoded.push(decodeLine(line));
    }
    return Buffer.concat(decoded);
  }
}

/** Each character stands for six bits; the first tells how many octets the line has. */
function decodeLine(line: string): Uint8Array {
  const length = sixBits(line, 0);
  const groups = Math.ceil(length / 3);
  const octets = Buffer.alloc(3 * groups);
  for (let group = 0; group < groups; group++) {
    const at = 1 + 4 * group;
    const bits =
      (sixBits(line, at) << 18) |
      (sixBits(line, at + 1) << 12) |
      (sixBits(line, at + 2) << 6) |
      sixBits(line, at + 3);
    octets.writeUIntBE(bits, 3 * group, 3);
  }
  return octets.subarray(0, length);
}

/** A line may have lost the blanks at its end, which stand for zero. */
const sixBits = (line: string, at: number) => (at < line.length ? (line.charCodeAt(at) - 0x20) & 0x3f : 0);
