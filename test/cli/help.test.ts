import { expect, test } from "bun:test";
import { runCommand } from "../support/run-command.ts";

/** The default width of a terminal. Longer lines would be broken within a word. */
const COLUMNS = 80;

async function printed(...args: string[]): Promise<string> {
  const { code, out } = await runCommand(args);
  expect(code).toBe(0);
  return out;
}

const commands = [...(await printed("help")).matchAll(/^ {2}(\w+) {2}/gm)].map(([, name = ""]) => name);

test.each(["", ...commands])(`the help of '%s' fits into ${COLUMNS} columns`, async (command) => {
  const lines = (await printed("help", ...(command === "" ? [] : [command]))).split("\n");
  expect(lines.filter((line) => line.length > COLUMNS || line !== line.trimEnd())).toEqual([]);
  expect(lines.slice(-2)).toEqual([expect.stringMatching(/\S/), ""]);
});

const printing = ["completions", "man", "help", "version"];
test.each(commands.filter((command) => !printing.includes(command)))(
  "the help of '%s' explains its exit code",
  async (command) => {
    expect(await printed("help", command)).toMatch(/exit code/i);
  },
);
