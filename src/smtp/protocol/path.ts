// Reverse-path and forward-path (RFC 5321 section 4.1.2, UTF-8 by RFC 6531).
// Strict about the brackets, lenient about dots in a local part and a missing domain: real mailboxes have both.

export type ParsedPath =
  | { readonly ok: true; readonly address: string; readonly rest: string }
  | { readonly ok: false; readonly reason: string };

// Not \s, which has spaces of Unicode in it: RFC 6531 takes every character beyond ASCII.
const ATOMS = /[^ "(),:;<>@[\\\]\x00-\x1f\x7f]+/y;
const QUOTED = /"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])*"/y;
const DOMAIN = /[\w\u0080-\uffff-]+(?:\.[\w\u0080-\uffff-]+)*/y;
const IPV4_LITERAL = /\[(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?=\d)|(?=\]))){4}\]/y;
const IPV6_TAG = "[IPv6:";
const IPV6_LITERAL = /\[IPv6:[\da-f:.]{2,45}\]/iy;
const GENERAL_LITERAL = /\[(?!IPv6:)[a-z\d-]*[a-z\d]:[!-Z^-~]+\]/iy;
const SOURCE_ROUTE = /(?:@[^\s,:<>@]+,)*@[^\s,:<>@]+:/y;

const LOCAL_PARTS = [ATOMS, QUOTED];
const DOMAINS = [DOMAIN];
const OTHER_LITERALS = [IPV4_LITERAL, GENERAL_LITERAL];

/** RFC 5321 section 4.5.3.1.3 asks a server to take 256. */
const MAX_PATH_BYTES = 512;

const OPEN = 0x3c;
const CLOSE = 0x3e;
const AT = 0x40;
const PERIOD = 0x2e;

const fail = (reason: string): ParsedPath => ({ ok: false, reason });

/** Where the match of a sticky expression at `from` ends, or -1. */
export function matchEnd(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Which ASCII characters the two parts of an ordinary address are made of. */
const ATOM = 1;
const LABEL = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return (
    (matchEnd(ATOMS, character, 0) === 1 ? ATOM : 0) | (matchEnd(DOMAIN, character, 0) === 1 ? LABEL : 0)
  );
});

function firstMatchEnd(expressions: readonly RegExp[], text: string, from: number): number {
  for (const expression of expressions) {
    const end = matchEnd(expression, text, from);
    if (end !== -1) return end;
  }
  return -1;
}

/** Parses what follows `FROM:` or `TO:`: a path in angle brackets; `rest` is what comes after it. */
export function parsePath(text: string): ParsedPath {
  const close = ordinaryEnd(text);
  return close === -1 ? parseAnyPath(text) : finishPath(text, 1, close);
}

/** Where `<local@domain>` in ASCII closes, which nearly every path is; -1 for any other. */
function ordinaryEnd(text: string): number {
  if (text.charCodeAt(0) !== OPEN) return -1;
  const at = runEnd(text, 1, ATOM);
  if (at === 1 || text.charCodeAt(at) !== AT) return -1;
  let label = at + 1;
  for (;;) {
    const end = runEnd(text, label, LABEL);
    if (end === label) return -1;
    const next = text.charCodeAt(end);
    if (next !== PERIOD) return next === CLOSE && isWellFormedFrom(text, end + 1) ? end : -1;
    label = end + 1;
  }
}

const isWellFormedFrom = (text: string, from: number) => from === text.length || text.isWellFormed();

/** Where characters of this kind end that begin at `from`. */
function runEnd(text: string, from: number, kind: number): number {
  let at = from;
  while (((KINDS[text.charCodeAt(at)] ?? 0) & kind) !== 0) at++;
  return at;
}

function parseAnyPath(text: string): ParsedPath {
  const open = text.startsWith("<") ? 0 : text.length - text.trimStart().length;
  if (!text.isWellFormed()) return fail("it is not UTF-8");
  if (text[open] !== "<") return fail("it must be enclosed in <>");
  if (text[open + 1] === ">") return finishPath(text, open + 1, open + 1);

  const start = skipSourceRoute(text, open + 1);
  const local = firstMatchEnd(LOCAL_PARTS, text, start);
  if (local === -1) return fail(text.includes(">") ? "the local part is not valid" : "the > is missing");
  if (text[local] !== "@") return finishPath(text, start, local);

  const literal = text[local + 1] === "[";
  const end = literal ? literalEnd(text, local + 1) : firstMatchEnd(DOMAINS, text, local + 1);
  if (end === -1 && literal) return fail("the address literal is not valid");
  if (end === -1 || text[end] === ".") return fail("the domain is not valid");
  return finishPath(text, start, end);
}

/** Where an address literal ends, or -1. */
function literalEnd(text: string, from: number): number {
  const end = matchEnd(IPV6_LITERAL, text, from);
  if (end === -1) return firstMatchEnd(OTHER_LITERALS, text, from);
  return isIpv6(text.slice(from + IPV6_TAG.length, end - 1)) ? end : -1;
}

/** A host of a URL may be such an address too. `text` is made of hexadecimal digits, colons and dots. */
const isIpv6 = (text: string): boolean => URL.canParse(`http://[${text}]/`);

/** RFC 5321 appendix C: a route is accepted and ignored. */
function skipSourceRoute(text: string, from: number): number {
  const end = text[from] === "@" ? matchEnd(SOURCE_ROUTE, text, from) : -1;
  return end === -1 ? from : end;
}

function finishPath(text: string, start: number, end: number): ParsedPath {
  if (end >= text.length) return fail("the > is missing");
  if (text[end] !== ">") return fail("there is something before the > that does not belong there");
  if (Buffer.byteLength(text.slice(text.indexOf("<") + 1, end)) > MAX_PATH_BYTES) {
    return fail(`it is longer than ${MAX_PATH_BYTES} octets`);
  }
  const rest = text.slice(end + 1);
  if (rest !== "" && !/^[ \t]/.test(rest)) return fail("there must be a space after the >");
  return { ok: true, address: text.slice(start, end), rest };
}
