// What most clients send is read without the grammar that everything else needs: both must come to the same.
import { expect, test } from "bun:test";
import { type Command, parseCommand, readCommand, VERBS } from "../../src/smtp/protocol/command.ts";
import { parsePath } from "../../src/smtp/protocol/path.ts";
import { Random } from "../support/random.ts";

const TRIES = 20_000;

/** Pieces in a row, drawn at random. */
function textOf(random: Random, pieces: readonly string[], max: number): string {
  return Array.from({ length: random.below(max + 1) }, () => random.pick(pieces)).join("");
}

test("a path that is read at a glance is what the grammar makes of it", () => {
  const random = new Random(1);
  const pieces = [
    "<",
    ">",
    "@",
    ".",
    "-",
    "_",
    "+",
    "a",
    "x1",
    "B",
    '"',
    "(",
    "[",
    "]",
    ":",
    " ",
    "é",
    "\u007f",
  ];
  let valid = 0;
  for (let n = 0; n < TRIES; n++) {
    const text = `<${textOf(random, pieces, 5)}a@b${textOf(random, pieces, 5)}${random.pick(["", ">", "> SIZE=1", "> X=\udc80"])}`;
    const path = parsePath(text);
    // With a blank before it, a path is left to the grammar.
    expect(path, text).toEqual(parsePath(` ${text}`));
    if (path.ok) valid++;
  }
  expect(valid).toBeGreaterThan(TRIES / 100);
});

test("a command that is read from its bytes is what its line says", () => {
  const random = new Random(2);
  const pieces = [...VERBS, "data", "Quit", " ", "  ", "x", "<a@b>", "FROM:"];
  let read = 0;
  for (let n = 0; n < TRIES; n++) {
    const line = textOf(random, pieces, 4);
    const bytes = Buffer.from(`before${line}\r\nafter`);
    const command = readCommand(bytes, 6, 6 + line.length);
    if (command === null) continue;
    expect(command, line).toEqual(parseCommand(line) as Command);
    read++;
  }
  expect(read).toBeGreaterThan(TRIES / 10);
});
