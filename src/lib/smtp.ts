// The parts of SMTP that several layers need: the stages of a session, envelopes, and paths.

/** The stages at which a fault can happen, in order. `end` is the end of a message. */
export const FAULT_STAGES = ["connect", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "end"] as const;
export type FaultStage = (typeof FAULT_STAGES)[number];

/** Sender and recipients as SMTP transfers them. Those in the header may differ. */
export interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
  /** For an imported mail: when it first arrived, in milliseconds since 1970. */
  readonly receivedAt?: number | null;
  /** The values of NOTIFY by recipient (RFC 3461). */
  readonly notify?: ReadonlyMap<string, string>;
}

// Reverse-path and forward-path (RFC 5321 section 4.1.2, UTF-8 by RFC 6531). Strict about the brackets, lenient about
// dots in a local part and a missing domain: both occur in real mail.

export type ParsedPath =
  | { readonly ok: true; readonly address: string; readonly rest: string }
  | { readonly ok: false; readonly reason: string };

/** Atoms, or a quoted string. `\s` would also exclude the spaces beyond ASCII, which RFC 6531 accepts. */
const LOCAL_PART = /[^ "(),:;<>@[\\\]\x00-\x1f\x7f]+|"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])*"/y;
const DOMAIN = /[\w\u0080-\uffff-]+(?:\.[\w\u0080-\uffff-]+)*/y;
const IPV4_LITERAL = /\[(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?=\d)|(?=\]))){4}\]/;
const IPV6_TAG = "[IPv6:";
const IPV6_LITERAL = /\[IPv6:[\da-f:.]{2,45}\]/iy;
const GENERAL_LITERAL = /\[(?!IPv6:)[a-z\d-]*[a-z\d]:[!-Z^-~]+\]/;
const OTHER_LITERAL = new RegExp(`${IPV4_LITERAL.source}|${GENERAL_LITERAL.source}`, "iy");
/** Matches nearly every path. Other paths and paths with parameters are parsed step by step. */
const ORDINARY = /<[\w!#$%&'*+/=?^`{|}~.-]+@[\w-]+(?:\.[\w-]+)*>/y;
const SOURCE_ROUTE = /(?:@[^\s,:<>@]+,)*@[^\s,:<>@]+:/y;

/** RFC 5321 section 4.5.3.1.3 requires servers to accept 256. */
export const MAX_PATH_BYTES = 512;

const fail = (reason: string): ParsedPath => ({ ok: false, reason });

/** The end of a sticky expression's match at `from`, or -1. */
export function matchEnd(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Parses the text after `FROM:` or `TO:`: a path in angle brackets; `rest` is the text after it. */
export function parsePath(text: string): ParsedPath {
  const ordinary = matchEnd(ORDINARY, text, 0);
  if (ordinary === text.length && ordinary <= MAX_PATH_BYTES)
    return { ok: true, address: text.slice(1, -1), rest: "" };
  const open = text.startsWith("<") ? 0 : text.length - text.trimStart().length;
  if (!text.isWellFormed()) return fail("it is not UTF-8");
  if (text[open] !== "<") return fail("it must be enclosed in <>");
  if (text[open + 1] === ">") return finishPath(text, open + 1, open + 1);

  // RFC 5321 appendix C: a route is accepted and ignored.
  const start = Math.max(open + 1, matchEnd(SOURCE_ROUTE, text, open + 1));
  const local = matchEnd(LOCAL_PART, text, start);
  if (local === -1) return fail(text.includes(">") ? "the local part is not valid" : "the > is missing");
  if (text[local] !== "@") return finishPath(text, start, local);

  const literal = text[local + 1] === "[";
  const end = literal ? literalEnd(text, local + 1) : matchEnd(DOMAIN, text, local + 1);
  if (end === -1 && literal) return fail("the address literal is not valid");
  if (end === -1 || text[end] === ".") return fail("the domain is not valid");
  return finishPath(text, start, end);
}

function literalEnd(text: string, from: number): number {
  const end = matchEnd(IPV6_LITERAL, text, from);
  if (end === -1) return matchEnd(OTHER_LITERAL, text, from);
  return isIpv6(text.slice(from + IPV6_TAG.length, end - 1)) ? end : -1;
}

/** Takes a text of hexadecimal digits, colons and dots only. */
const isIpv6 = (text: string): boolean => URL.canParse(`http://[${text}]/`);

function finishPath(text: string, start: number, end: number): ParsedPath {
  if (end >= text.length) return fail("the > is missing");
  if (text[end] !== ">") return fail("there are unexpected characters before the >");
  const path = text.slice(text.indexOf("<") + 1, end);
  // Encodes the path only if it may be too long: UTF-8 has at most three octets for each unit of `length`.
  if (path.length * 3 > MAX_PATH_BYTES && new TextEncoder().encode(path).length > MAX_PATH_BYTES)
    return fail(`it is longer than ${MAX_PATH_BYTES} octets`);
  const rest = text.slice(end + 1);
  if (rest !== "" && !/^[ \t]/.test(rest)) return fail("there must be a space after the >");
  return { ok: true, address: text.slice(start, end), rest };
}
