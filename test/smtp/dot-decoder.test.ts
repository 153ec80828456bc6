import { expect, test } from "bun:test";
import { DotDecoder } from "../../src/smtp/protocol/dot-decoder.ts";
import { Random } from "../support/random.ts";
import { decodeWhole } from "./reference-decoder.ts";

/** Decodes the body in pieces that end at `cuts`. Returns null if the end of the message is missing. */
function decode(body: Buffer, cuts: readonly number[]): { message: Buffer; rest: Buffer } | null {
  const decoder = new DotDecoder();
  const message: Buffer[] = [];
  let start = 0;
  for (const cut of [...cuts, body.length]) {
    const piece = Buffer.from(body.subarray(start, cut));
    const next = decoder.decode(piece, 0, (bytes) => message.push(bytes));
    if (next !== -1) {
      return { message: Buffer.concat(message), rest: body.subarray(start + next) };
    }
    start = cut;
  }
  return null;
}

test.each([24, 200])(
  "agrees with the simple decoder on bodies of dots, CR and LF, for any chunks: up to %i bytes",
  (most) => {
    const random = new Random(1);
    for (let run = 0; run < 20_000; run++) {
      const length = random.below(most);
      const letters = Array.from({ length }, () => random.pick(["\r", "\n", "\r\n.", ".", "a"]));
      const body = Buffer.from(letters.join("") + random.pick(["", "\r\n.\r\n"]));
      const cuts = Array.from({ length: random.below(4) }, () => random.below(body.length + 1)).sort(
        (a, b) => a - b,
      );
      const expected = decodeWhole(body);
      const actual = decode(body, cuts);
      if (!Bun.deepEquals(actual, expected))
        expect({ body, cuts, actual }).toEqual({ body, cuts, actual: expected });
    }
  },
);

test("a chunk full of stuffed dots is handed on in one piece", () => {
  const body = Buffer.from("\r\n..".repeat(10_000));
  const pieces: Buffer[] = [];
  new DotDecoder().decode(body, 0, (bytes) => pieces.push(bytes));
  expect(pieces.length).toBe(1);
  expect(pieces[0]?.toString()).toBe("\r\n.".repeat(10_000));
});

test("a plain chunk is handed on without copying", () => {
  const body = Buffer.from("Subject: hi\r\n\r\nbody\r\n.\r\nMAIL");
  const pieces: Buffer[] = [];
  expect(new DotDecoder().decode(body, 0, (bytes) => pieces.push(bytes))).toBe(24);
  expect(pieces[0]?.buffer).toBe(body.buffer);
});
