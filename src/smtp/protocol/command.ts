// A command line taken apart: the verb, upper-cased, and what follows it.
import { asciiUpperCase } from "./ascii-case.ts";

export const VERBS = [
  "EHLO",
  "HELO",
  "MAIL",
  "RCPT",
  "DATA",
  "BDAT",
  "RSET",
  "NOOP",
  "VRFY",
  "EXPN",
  "HELP",
  "QUIT",
  "STARTTLS",
  "AUTH",
] as const;
export type Verb = (typeof VERBS)[number];

export interface Command {
  readonly verb: Verb;
  readonly args: string;
}

const KNOWN: ReadonlyMap<string, Verb> = new Map(VERBS.map((verb) => [verb, verb]));
/** Those of four letters, which nearly all are. */
const SHORT: ReadonlyMap<number, Verb> = new Map(
  VERBS.filter((verb) => verb.length === 4).map((verb) => [fourLetters(Buffer.from(verb), 0), verb]),
);
const SPACE = 0x20;
const TAB = 0x09;
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
const BDAT = /^BDAT[ \t]/i;

/**
 * Whether a line can be a command. Bytes that were no UTF-8 make it not well-formed, and are refused in addresses.
 * BDAT judges its line itself: a chunk that is not skipped would be taken for commands.
 */
export const isText = (line: string) => !CONTROL.test(line) || BDAT.test(line);

/** A web page can make a browser send a form to this port, with SMTP commands in its body. */
export const isHttpRequest = (line: string) => /^[A-Z]+ .* HTTP\/\d/.test(line);

export function parseCommand(line: string): { readonly verb: Verb | null; readonly args: string } {
  const end = wordEnd(line);
  return { verb: knownVerb(line.slice(0, end)), args: trimBlanks(line, end) };
}

/**
 * The same of a line in plain ASCII, from its bytes: only what follows the verb becomes a string. Null where the verb
 * is not one of four letters.
 */
export function readCommand(bytes: Buffer, from: number, to: number): Command | null {
  const verb = SHORT.get(fourLetters(bytes, from));
  let start = from + 4;
  if (verb === undefined || start > to || (start < to && bytes[start] !== SPACE)) return null;
  let end = to;
  while (start < end && bytes[start] === SPACE) start++;
  while (start < end && bytes[end - 1] === SPACE) end--;
  return { verb, args: start === end ? "" : bytes.toString("latin1", start, end) };
}

/** Not trim(): that takes control characters and Unicode's spaces for blanks too. */
function trimBlanks(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (start < end && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

const knownVerb = (word: string): Verb | null => KNOWN.get(asciiUpperCase(word)) ?? null;

function wordEnd(line: string): number {
  let end = 0;
  while (end < line.length && !isBlank(line.charCodeAt(end))) end++;
  return end;
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** Four letters as a number, the same for capitals and small ones. */
function fourLetters(bytes: Buffer, from: number): number {
  let letters = 0;
  for (let at = from; at < from + 4; at++) letters = (letters << 8) | capital(bytes[at] ?? 0);
  return letters;
}

/** 0 for what is no letter. */
function capital(code: number): number {
  const upper = code & ~0x20;
  return upper >= 0x41 && upper <= 0x5a ? upper : 0;
}
