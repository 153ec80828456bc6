// Placeholders that a template leaves when a value was not filled in.

/** Each pattern limits the length of a placeholder, so that no text makes the search slow. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\{\{[^{}]{1,80}\}\}/g,
  /\{%[^{}]{1,80}%\}/g,
  /[$%#]\{[^{}\n]{1,80}\}/g,
  /<%[^<>\n]{1,80}%>/g,
  /\[\[[^[\]\n]{1,80}\]\]/g,
  /\*\|[^|*\n]{1,80}\|\*/g,
  /%%[A-Za-z_][\w.]{1,60}%%/g,
  /(?<![\w%])%(?:[A-Z][A-Z_]{2,40}|[a-z]{3,20}\.\w{1,20})%(?![\w%])/g,
  /\[object [A-Z]\w{1,40}\]/g,
  /\blorem ipsum\b/gi,
  /\bInvalid Date\b/g,
];
/** Words such as `null` also occur in normal text, so they count only where a name or a value is expected. */
const EMPTY_VALUES: readonly RegExp[] = [
  /\b(?i:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|cher|hola|ciao|welcome(?: back)?|thanks?|good (?:morning|evening)|mr|mrs|ms|herr|frau)[.,]?\s+(?:undefined|null|NULL|NaN)\b/g,
  /\b(?i:order|invoice|ticket|booking|customer|account|user)\s+(?:undefined|null|NULL|NaN)\b(?!\s+and\s+void)/g,
  /[#€$£¥]\s?(?:undefined|null|NULL|NaN)\b/g,
  /\b(?:undefined|null|NULL|NaN)\s?(?:[€$£¥%]|(?:EUR|USD|GBP|CHF)\b)/g,
  /[:=][ \t]{0,20}(?:undefined|null|NULL|NaN)(?=[ \t]{0,20}(?:$|[.,;!?)|]))/gm,
  /\b(?i:your)\s[\w ]{1,40}\s(?:is|are)\s(?:undefined|null|NULL|NaN)\b(?!\s+and\s+void)/g,
  /\b(?:of|for|to|by|at|on|from|with)\s(?:undefined|null|NULL|NaN)(?=[.,;!?)]|\s*$|\r?\n\r?\n)/g,
  /^(?:undefined|null|NULL|NaN),\s/g,
  // Alone on a line or in a cell of a table.
  /(?<=(?:^|[|\t])\s{0,100})(?:undefined|null|NULL|NaN)(?=\s{0,100}[,!]?\s{0,100}(?:$|[|\t]))/gm,
];

const found = (patterns: readonly RegExp[], text: string): string[] =>
  patterns.flatMap((pattern) => text.match(pattern) ?? []);

export const placeholdersIn = (text: string): string[] => [
  ...new Set(found([...PLACEHOLDERS, ...EMPTY_VALUES], text).map((placeholder) => placeholder.trim())),
];

/** `null` or a similar word as a step of the path, a value of the query, or an image's name. */
const EMPTY_IN_URL = /(?<=[/=:&?])(?:undefined|null|NaN)(?=[/&#?@]|\.(?:png|jpe?g|gif|webp|svg)\b|$)/g;

export function placeholderInUrl(url: string): string | undefined {
  const written = url.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
  return found([...PLACEHOLDERS, EMPTY_IN_URL], written)[0];
}
