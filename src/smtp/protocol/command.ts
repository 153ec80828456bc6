// A command line taken apart: the verb, upper-cased, and what follows it.

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
  readonly verb: Verb | null;
  readonly args: string;
}

const KNOWN: ReadonlyMap<string, Verb> = new Map(VERBS.map((verb) => [verb, verb]));
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * The text of a line without trailing blanks, or null when it has control characters. Bytes that are no UTF-8
 * become U+FFFD: harmless in the name of a client, refused in an address.
 */
export function decodeLine(line: Buffer): string | null {
  const text = line.toString("utf8");
  return CONTROL.test(text) ? null : text.trimEnd();
}

export function parseCommand(line: string): Command {
  const blank = line.search(/[ \t]/);
  const word = blank === -1 ? line : line.slice(0, blank);
  return {
    verb: KNOWN.get(word.toUpperCase()) ?? null,
    args: blank === -1 ? "" : line.slice(blank).trimStart(),
  };
}
