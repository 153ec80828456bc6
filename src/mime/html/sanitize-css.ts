// Makes the CSS of a mail harmless: it fetches nothing that `resource` does not allow, imports nothing, and cannot end
// its style element.

/** Null blocks the address. */
export type ResolveResource = (address: string) => string | null;

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/**
 * Escapes that spell letters and hyphens hide words such as "url" from filters. An escaped backslash spells none, and
 * up to six digits are one character.
 */
const LETTER_ESCAPE =
  /\\\\|\\(?:(?:0000|0{0,3}(?=..(?![0-9a-f])))([46][1-9a-f]|[57][0-9a]|2d)\s?|([g-z-]))/gi;
/** An escape that would take the decoded letter after it as one more digit. */
const OPEN_ESCAPE = /\\[0-9a-f]{1,5}(?=\\0{0,4}[46][1-6])/gi;
const IMPORT = /@(?:import|charset|namespace)\b/gi;
/** An address without quotes may have semicolons in it. */
const IMPORTED = /url\([^()"'\n]*\)|[^;"'{}u]+|u|"[^"\n]*"|'[^'\n]*'/iy;
/** Fonts are not images, but loading them tells the sender as much about the reader. */
const FONT_FACE = /@font-face\b/gi;
const REMOTE_URL = /url\("https?:[^"]*"/gi;
const BEFORE_BLOCK = /[^{};"']+|"[^"\n]*"|'[^'\n]*'/y;
const IN_BLOCK = /[^{}"']+|"[^"\n]*"|'[^'\n]*'/y;
const ACTIVE =
  /expression\s*\(|-moz-binding|(?<!scroll-)behavior\s*:|javascript\s*:|(?:-webkit-)?image(?:-set)?\s*\(|\bsrc\s*\(/gi;
/** After another letter or a hyphen it is the name of some other function, which fetches nothing. */
const URL_TOKEN = /([\w-]?)url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^)"'\s]*))\s*\)?/gi;

/** Replaces removed text: without it the words on both sides could become one, such as "url". */
const GAP = " ";

/** Removes what `begin` finds, up to the end that `endOf` returns. */
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

/** Skips any number of pieces. A repeated group in one expression fails after a few million. */
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

/** In quotes for url(): everything that could end the string or the element is written as an escape. */
const quote = (address: string) =>
  `"${address.replace(/["'\\<>\n\r\f()]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;

/**
 * Chromium sends a Referer with the images of CSS, whatever policy the document has; only the address itself can forbid
 * it. A browser that does not know how leaves out such a declaration: the one without it stands before.
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

/** A bracket that can begin a tag. Before a number it is a comparison, as in a media query. */
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
