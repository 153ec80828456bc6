// What templates leave behind when a value was not filled in.

/** Each matches a few characters only, so that no text takes long. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\{\{[^{}\n]{1,80}\}\}/,
  /\{%[^{}\n]{1,80}%\}/,
  /\$\{[^{}\n]{1,80}\}/,
  /<%[^<>\n]{1,80}%>/,
  /\[\[[^[\]\n]{1,80}\]\]/,
  /\*\|[^|*\n]{1,80}\|\*/,
  /%%[A-Za-z_][\w.]{1,60}%%/,
  /(?<![\w%])%[A-Z][A-Z_]{2,40}%(?![\w%])/,
  /\[object Object\]/,
  /\blorem ipsum\b/i,
];
/** Words that also occur in earnest: only where a name or a value was to stand. */
const EMPTY_VALUES: readonly RegExp[] = [
  /(?:\b(?:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|cher|hola|ciao|welcome|thanks?),?)\s+(?:undefined|null|NaN)\b/i,
  /[:=#€$£]\s*(?:undefined|NaN)\b/,
  /^\s*(?:undefined|null|NaN)\s*[,.!]?\s*$/,
  /\b(?:Invalid Date)\b/,
];

/** All in a text, each as it is written, at most a few. */
export function placeholdersIn(text: string): string[] {
  return [...PLACEHOLDERS, ...EMPTY_VALUES].flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
}

/** In an address, where a percent sign begins an octet and braces are rare. */
export function placeholderInUrl(url: string): string | undefined {
  const written = url.replace(/%7b/gi, "{").replace(/%7d/gi, "}").replace(/%5b/gi, "[").replace(/%5d/gi, "]");
  const [found] = placeholdersIn(written);
  return found ?? /(?<=[/=:&?]|^)(?:undefined|null|NaN)(?=[/&#?]|$)/.exec(written)?.[0];
}
