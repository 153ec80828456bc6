// Splits a command line into the verb, in upper case, and its arguments.

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
export type CommandName = Verb | "unknown";

const KNOWN: ReadonlyMap<string, Verb> = new Map(VERBS.map((verb) => [verb, verb]));
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
const BDAT = /^BDAT[ \t]/i;

/** SMTP knows ASCII letters only (RFC 5321 section 2.4). toUpperCase() would turn ſ into S, and so RſET into a verb. */
export const asciiUpperCase = (word: string): string =>
  word.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

/** Commands have no control characters. BDAT checks them itself, because a wrong BDAT ends the session. */
export const isText = (line: string) => !CONTROL.test(line) || BDAT.test(line);

/** A web page can make a browser send a form to this port, with SMTP commands in its body. */
export const isHttpRequest = (line: string) => /^[A-Z]+ .* HTTP\/\d/.test(line);

/** From the first to the last character that is not a blank. trim() would also remove control characters. */
const CONTENT = /[^ \t](?:.*[^ \t])?/s;

export function parseCommand(line: string): { readonly verb: Verb | null; readonly args: string } {
  const [word = ""] = line.split(/[ \t]/, 1);
  const verb = KNOWN.get(word) ?? KNOWN.get(asciiUpperCase(word)) ?? null;
  return { verb, args: CONTENT.exec(line.slice(word.length))?.[0] ?? "" };
}
