// What templates leave behind when a value was not filled in.

/** Each matches a few characters only, so that no text takes long. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\{\{[^{}\n]{1,80}\}\}/g,
  /\{%[^{}\n]{1,80}%\}/g,
  /\$\{[^{}\n]{1,80}\}/g,
  /<%[^<>\n]{1,80}%>/g,
  /\[\[[^[\]\n]{1,80}\]\]/g,
  /\*\|[^|*\n]{1,80}\|\*/g,
  /%%[A-Za-z_][\w.]{1,60}%%/g,
  /(?<![\w%])%[A-Z][A-Z_]{2,40}%(?![\w%])/g,
  /\[object Object\]/g,
  /\blorem ipsum\b/gi,
  /\bInvalid Date\b/g,
];
/** Words that also occur in earnest: only where a name or a value was to stand. */
const EMPTY_VALUES: readonly RegExp[] = [
  /\b(?:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|cher|hola|ciao|welcome|thanks?),?\s+(?:undefined|null|NaN)\b/gi,
  /[:=#€$£]\s*(?:undefined|null|NaN)\b/g,
  /\b(?:is|are|of|for|to|by|at|on)\s(?:undefined|null|NaN)(?=[.,;!?)]|$)/gm,
  /^\s*(?:undefined|null|NaN)\s*[,.!]?\s*$/gm,
];

/** All in a text, each once, as it is written. */
export function placeholdersIn(text: string): string[] {
  const found = [...PLACEHOLDERS, ...EMPTY_VALUES].flatMap((pattern) => text.match(pattern) ?? []);
  return [...new Set(found.map((placeholder) => placeholder.trim()))];
}

/** In an address, where a percent sign begins an octet and braces are rare. */
export function placeholderInUrl(url: string): string | undefined {
  const written = url.replace(/%7b/gi, "{").replace(/%7d/gi, "}").replace(/%5b/gi, "[").replace(/%5d/gi, "]");
  const [found] = placeholdersIn(written);
  return found ?? /(?<=[/=:&?]|^)(?:undefined|null|NaN)(?=[/&#?]|$)/.exec(written)?.[0];
}
