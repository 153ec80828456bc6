// CSS from a mail made harmless: nothing is fetched that `resource` does not allow, nothing imports,
// nothing can end the style element it stands in.

/** Answers with the address to use for one found in the style, or null to block it. */
export type ResolveResource = (address: string) => string | null;

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/** Escapes that spell letters and hyphens hide words such as "url" from filters. An escaped backslash spells none. */
const LETTER_ESCAPE = /\\\\|\\(?:0{0,4}([46][1-9a-f]|[57][0-9a]|2d)\s?|([g-z-]))/gi;
const IMPORT = /@(?:import|charset|namespace)\b(?:[^;"'{}]|"[^"\n]*"|'[^'\n]*')*;?/gi;
/** Fonts are no images, and they tell a sender as much about the reader. */
const FONT_FACE = /@font-face\b(?:[^{};"']|"[^"\n]*"|'[^'\n]*')*(?:\{(?:[^{}"']|"[^"\n]*"|'[^'\n]*')*\}?)?/gi;
const ACTIVE =
  /expression\s*\(|-moz-binding|behavior\s*:|javascript\s*:|(?:-webkit-)?image-set\s*\(|\bsrc\s*\(/gi;
/** After another letter or a hyphen it is the name of some other function, which fetches nothing. */
const URL_TOKEN = /([\w-]?)url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^)"'\s]*))\s*\)?/gi;

const spellOut = (css: string) =>
  css.replace(LETTER_ESCAPE, (whole, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (letter ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** In quotes for url(): everything that could end the string or the element is written as an escape. */
const quote = (address: string) =>
  `"${address.replace(/["'\\<>\n\r\f()]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;

export function sanitizeCss(css: string, resource: ResolveResource): string {
  return spellOut(css.replace(COMMENT, " "))
    .replace(IMPORT, "")
    .replace(FONT_FACE, "")
    .replace(ACTIVE, "blocked-")
    .replace(URL_TOKEN, (_, before: string, double?: string, single?: string, bare?: string) => {
      if (before !== "") return `${before}none`;
      const address = resource((double ?? single ?? bare ?? "").trim());
      return address === null ? "none" : `url(${quote(address)})`;
    })
    .replace(/<!--|-->/g, "")
    .replace(/</g, "\\3c ");
}
