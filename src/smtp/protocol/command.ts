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

/** Whether a line can be a command: bytes that were no UTF-8 stand in it as U+FFFD, and are refused in addresses. */
export const isText = (line: string) => !CONTROL.test(line);

/** A web page can make a browser send a form to this port, with SMTP commands in its body. */
export const isHttpRequest = (line: string) => /^[A-Z]+ .* HTTP\/\d/.test(line);

export function parseCommand(line: string): Command {
  const end = wordEnd(line);
  const word = line.slice(0, end);
  // Nearly every client writes capitals.
  const verb = KNOWN.get(word) ?? KNOWN.get(word.toUpperCase()) ?? null;
  return { verb, args: end === line.length ? "" : line.slice(end).trim() };
}

function wordEnd(line: string): number {
  let end = 0;
  while (end < line.length && line[end] !== " " && line[end] !== "\t") end++;
  return end;
}
