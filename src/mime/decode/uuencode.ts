// uuencode, as old senders name it in Content-Transfer-Encoding. Lines before "begin" and behind "end" are no data.

const BEGIN = /^begin [0-7]{3,4} /;
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
    const data = lines.filter((line) => this.#isData(line.trimEnd()));
    const octets = Buffer.alloc(data.reduce((sum, line) => sum + 3 * groupsIn(line), 0));
    let length = 0;
    for (const line of data) {
      for (let group = 0; group < groupsIn(line); group++)
        octets.writeUIntBE(bitsAt(line, 1 + 4 * group), length + 3 * group, 3);
      length += sixBits(line, 0);
    }
    return octets.subarray(0, length);
  }

  #isData(line: string): boolean {
    if (this.#state === "data" && line === "end") this.#state = "over";
    const isData = this.#state === "data";
    if (this.#state === "before" && BEGIN.test(line)) this.#state = "data";
    return isData;
  }
}

/** The first character of a line tells how many octets it has; four of the others stand for three of them. */
const groupsIn = (line: string) => Math.ceil(sixBits(line, 0) / 3);

const bitsAt = (line: string, at: number) =>
  (sixBits(line, at) << 18) |
  (sixBits(line, at + 1) << 12) |
  (sixBits(line, at + 2) << 6) |
  sixBits(line, at + 3);

/** A line may have lost the blanks at its end, which stand for zero. */
const sixBits = (line: string, at: number) =>
  at < line.length && line.charCodeAt(at) > 0x20 ? (line.charCodeAt(at) - 0x20) & 0x3f : 0;
