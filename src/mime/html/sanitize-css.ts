// CSS from a mail made harmless: nothing is fetched that `resource` does not allow, nothing imports,
// nothing can end the style element it stands in.

/** Answers with the address to use for one found in the style, or null to block it. */
export type ResolveResource = (address: string) => string | null;

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/**
 * Escapes that spell letters and hyphens hide words such as "url" from filters. An escaped backslash spells none, and
 * up to six digits are one character.
 */
const LETTER_ESCAPE =
  /\\\\|\\(?:(?:0000|0{0,3}(?=..(?![0-9a-f])))([46][1-9a-f]|[57][0-9a]|2d)\s?|([g-z-]))/gi;
/** One that the spelt out letter behind it would be a digit of. */
const OPEN_ESCAPE = /\\[0-9a-f]{1,5}(?=\\0{0,4}[46][1-6])/gi;
/** An address without quotes may have semicolons in it. */
const IMPORT = /@(?:import|charset|namespace)\b(?:url\([^()"'\n]*\)|[^;"'{}]|"[^"\n]*"|'[^'\n]*')*;?/gi;
/** Fonts are no images, and they tell a sender as much about the reader. */
const FONT_FACE = /@font-face\b(?:[^{};"']|"[^"\n]*"|'[^'\n]*')*(?:\{(?:[^{}"']|"[^"\n]*"|'[^'\n]*')*\}?)?/gi;
const ACTIVE =
  /expression\s*\(|-moz-binding|(?<!scroll-)behavior\s*:|javascript\s*:|(?:-webkit-)?image-set\s*\(|\bsrc\s*\(/gi;
/** After another letter or a hyphen it is the name of some other function, which fetches nothing. */
const URL_TOKEN = /([\w-]?)url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^)"'\s]*))\s*\)?/gi;

/** Takes the place of what is left out: without it the words on both sides could become one, such as "url". */
const GAP = " ";

const spellOut = (css: string) =>
  css
    .replace(OPEN_ESCAPE, `$&${GAP}`)
    .replace(LETTER_ESCAPE, (whole, hex: string | undefined, letter: string | undefined) =>
      hex === undefined ? (letter ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
    );

/** In quotes for url(): everything that could end the string or the element is written as an escape. */
const quote = (address: string) =>
  `"${address.replace(/["'\\<>\n\r\f()]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;

/** Can begin a tag. Before a number it compares, as in a media query. */
const BRACKET = /<(?![\s=\d.])/g;

export function sanitizeCss(css: string, resource: ResolveResource): string {
  return spellOut(css.replace(COMMENT, GAP))
    .replace(IMPORT, GAP)
    .replace(FONT_FACE, GAP)
    .replace(ACTIVE, "blocked-")
    .replace(URL_TOKEN, (_, before: string, double?: string, single?: string, bare?: string) => {
      if (before !== "") return `${before}none`;
      const address = resource((double ?? single ?? bare ?? "").trim());
      return address === null ? "none" : `url(${quote(address)})`;
    })
    .replace(/<!--|-->/g, GAP)
    .replace(BRACKET, "\\3c ");
}
