// Texts: characters that need care, short forms, and suggestions for a mistyped word.

/** Characters that a terminal interprets instead of showing, and characters that change the direction of a line. */
export const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** For a log or a terminal, which then shows `\u000d` instead of returning to the start of the line. */
export const escapeControl = (text: string): string =>
  text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A number of things in a sentence: "1 mail", "2 mails". */
export const counted = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? "" : "s"}`;

/** False with angle brackets or outer spaces, as in `Ann <ann@x.test>`. Quotes may contain both (RFC 5321, 4.1.2). */
export const isBareAddress = (text: string): boolean => !/^\s|[<>]|\s$/.test(text.replace(/"[^"]*"/g, '""'));

/** Decodes percent-encoding (RFC 3986, 2.1). Null if it is malformed. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** One extension, or two as in ".tar.gz". */
const EXTENSION = /(?:\.[\p{L}\p{N}_-]{1,16}){1,2}\s*$/u;
/** Only this many characters at the end of a name are searched for an extension. */
const MAX_END_CHARS = 100;

/** The name of a file, shortened before its extension, because the extension tells the type. */
export function shortName(name: string, maxChars: number): string {
  if (name.length <= maxChars) return name;
  const chars = [...name];
  if (chars.length <= maxChars) return name;
  const extension = EXTENSION.exec(name.slice(-MAX_END_CHARS))?.[0].trimEnd() ?? "";
  return chars.slice(0, maxChars - [...extension].length).join("") + extension;
}

/** A client may send a field whose name has millions of characters. */
const MAX_COMPARED_CHARS = 100;

/** Optimal string alignment distance: insert, delete, replace, swap neighbours. */
function distance(word: string, b: string): number {
  const a = word.slice(0, MAX_COMPARED_CHARS);
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replace = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replace);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, at(i - 2, j - 2) + 1);
      row.push(best);
    }
  }
  return at(a.length, b.length);
}

/** Allows one mistake in a word of three or more letters, and two in a word of seven or more. */
const isSlip = (word: string, candidate: string) =>
  distance(word, candidate) <= Math.min(2, (word.length + 1) / 4);

/** `port` is a part of `smtp-port`, `vers` of `version`, `MAILKEEP_AUTH` of `MAILKEEP_SMTP_AUTH`. */
function isPartOf(word: string, candidate: string): boolean {
  if (word !== "" && candidate.startsWith(word)) return true;
  const parts = candidate.split(/[-_]/);
  return word.split(/[-_]/).every((part) => parts.includes(part));
}

/** The known word that was probably meant by a mistyped or shortened word; null if there is none. */
export function near(word: string, known: readonly string[]): string | null {
  const found = nearest(word, known);
  const [written, meant] = [word.toLowerCase(), found?.toLowerCase() ?? ""];
  return isSlip(written, meant) || isPartOf(written, meant) ? found : null;
}

/** The most similar known word, even if it is not similar at all; null if no words are known. */
export function nearest(word: string, known: readonly string[]): string | null {
  const written = word.toLowerCase();
  const distances = known.map((candidate) => distance(written, candidate.toLowerCase()));
  const best = known[distances.indexOf(Math.min(...distances))];
  if (best === undefined || isSlip(written, best.toLowerCase())) return best ?? null;
  return known.find((candidate) => isPartOf(written, candidate.toLowerCase())) ?? best;
}
