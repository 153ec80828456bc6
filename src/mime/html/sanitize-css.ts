// Makes the CSS of a mail harmless: it fetches nothing that `resource` does not allow, imports nothing, and cannot end
// its style element.

/** Null blocks the address. */
export type ResolveResource = (address: string) => string | null;

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/**
 * Escapes of letters and hyphens, which can hide words such as "url". Also matches an escaped
 * backslash, so that its second backslash does not begin an escape.
 */
const LETTER_ESCAPE =
  /\\\\|\\(?:(?:0000|0{0,3}(?=..(?![0-9a-f])))([46][1-9a-f]|[57][0-9a]|2d)\s?|([g-z-]))/gi;
/**
 * An escape right before an escaped letter from a to f. If only the letter were unescaped, it would
 * become a digit of the first escape.
 */
const OPEN_ESCAPE = /\\[0-9a-f]{1,5}(?=\\0{0,4}[46][1-6])/gi;
const IMPORT = /@(?:import|charset|namespace)\b/gi;
/** A piece of an @import rule. An address without quotes may have semicolons in it. */
const IMPORTED = /url\([^()"'\n]*\)|[^;"'{}u]+|u|"[^"\n]*"|'[^'\n]*'/iy;
/** Loading a font tells the sender as much about the reader as loading an image. */
const FONT_FACE = /@font-face\b/gi;
const REMOTE_URL = /url\("https?:[^"]*"/gi;
const BEFORE_BLOCK = /[^{};"']+|"[^"\n]*"|'[^'\n]*'/y;
const IN_BLOCK = /[^{}"']+|"[^"\n]*"|'[^'\n]*'/y;
const ACTIVE =
  /expression\s*\(|-moz-binding|(?<!scroll-)behavior\s*:|javascript\s*:|(?:-webkit-)?image(?:-set)?\s*\(|\bsrc\s*\(/gi;
/** Functions with a longer name that ends in "url" fetch nothing. */
const URL_TOKEN = /([\w-]?)url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^)"'\s]*))\s*\)?/gi;

/** Replaces removed text, so that the text on both sides does not form a word such as "url". */
const GAP = " ";

function leaveOut(css: string, begin: RegExp, endOf: (css: string, from: number) => number): string {
  let kept = "";
  let from = 0;
  begin.lastIndex = 0;
  for (let found = begin.exec(css); found !== null; found = begin.exec(css)) {
    kept += css.slice(from, found.index) + GAP;
    from = endOf(css, begin.lastIndex);
    begin.lastIndex = from;
  }
  return kept + css.slice(from);
}

function importEnd(css: string, from: number): number {
  const end = skip(css, IMPORTED, from);
  return css[end] === ";" ? end + 1 : end;
}

function fontFaceEnd(css: string, from: number): number {
  const block = skip(css, BEFORE_BLOCK, from);
  if (css[block] !== "{") return block;
  const end = skip(css, IN_BLOCK, block + 1);
  return css[end] === "}" ? end + 1 : end;
}

/** Skips any number of pieces. A repeated group in a regular expression would fail after a few million. */
function skip(css: string, piece: RegExp, from: number): number {
  let at = from;
  piece.lastIndex = at;
  while (piece.test(css)) at = piece.lastIndex;
  return at;
}

const spellOut = (css: string) =>
  css
    .replace(OPEN_ESCAPE, `$&${GAP}`)
    .replace(LETTER_ESCAPE, (whole, hex: string | undefined, letter: string | undefined) =>
      hex === undefined ? (letter ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
    );

/** Quotes an address for url(). Escapes characters that could end the string or the element. */
const quote = (address: string) =>
  `"${address.replace(/["'\\<>\n\r\f()]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;

/**
 * Chromium sends a Referer for images in CSS, despite the document's policy, unless the url() itself forbids it.
 * Browsers that do not know this syntax ignore the declaration and use the declaration before it.
 */
function forbidReferrer(css: string): string {
  if (css.search(REMOTE_URL) === -1) return css;
  let out = "";
  for (let from = 0; from < css.length; ) {
    const end = skip(css, BEFORE_BLOCK, from);
    const piece = css.slice(from, end);
    const isDeclaration = [";", "}", undefined].includes(css[end]);
    const forbidding = isDeclaration ? piece.replace(REMOTE_URL, "$& referrer-policy(no-referrer)") : piece;
    out += piece + (forbidding === piece ? "" : `;${forbidding}`) + (css[end] ?? "");
    from = end + 1;
  }
  return out;
}

/** A bracket that may begin a tag. Before a space, "=" or a number, it is a comparison in a media query. */
const BRACKET = /<(?![\s=\d.])/g;

export function sanitizeCss(css: string, resource: ResolveResource): string {
  const spelt = spellOut(css.replace(COMMENT, GAP));
  const harmless = leaveOut(leaveOut(spelt, IMPORT, importEnd), FONT_FACE, fontFaceEnd)
    .replace(ACTIVE, "blocked-")
    .replace(URL_TOKEN, (_, before: string, double?: string, single?: string, bare?: string) => {
      if (before !== "") return `${before}none`;
      const address = resource((double ?? single ?? bare ?? "").trim());
      return address === null ? "none" : `url(${quote(address)})`;
    })
    .replace(/<!--|-->/g, GAP)
    .replace(BRACKET, "\\3c ");
  return forbidReferrer(harmless);
}
