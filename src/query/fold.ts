// Prepares text for comparison: substrings and addresses without case, the words of a search also without
// accents and character width. Both sides of a comparison must go through the same function. In a search
// every character of a script without spaces is a word.

/**
 * Normalizing a letter with thousands of marks takes seconds. The limit is that of Unicode's stream-safe format, which
 * is more than any language uses.
 */
const STACKED = /(\p{M}{30})\p{M}+/gu;

const withFewMarks = (text: string): string => text.replace(STACKED, "$1");

/** toLowerCase() makes "İ" an "i" and a separate dot, which is removed. */
const DOTTED_I = /i\u0307/g;

/**
 * Changes the case three times, because "ẞ" becomes "ss" by way of "ß" and "SS". At the end of a word toLowerCase()
 * makes "ς" of "Σ". ASCII becomes what SQLite's lower() gives.
 */
export const foldCase = (text: string): string =>
  withFewMarks(text)
    .normalize("NFC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(DOTTED_I, "i");

/** Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs, variation selectors, invisible break marks. */
const MARKS =
  /[\ufe00-\ufe0f\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\xad\u180e\u200b\u2060-\u2064\ufeff]/g;
/**
 * A symbol separates words, even if Unicode spells it out ("™" as "TM"). So do marks of direction, newer punctuation
 * and unassigned code points, which SQLite's tokenizer would take for letters.
 */
const SEPARATORS = /[\p{S}\p{Cn}\u061c\u2066-\u2069\u2e3c-\u2e5d]+/gu;
/** The plain form of letters that Unicode does not decompose, and of the final sigma. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ς: "σ",
};
const STROKED = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** "Łódź" as "lodz", "Αθήνα" as "αθηνα", "ＦＵＬＬ" as "full". */
export function baseLetters(text: string): string {
  return (
    withFewMarks(text)
      .replace(SEPARATORS, " ")
      .normalize("NFKD")
      .replace(MARKS, "")
      .toLowerCase()
      .replace(STROKED, (letter) => PLAIN[letter] ?? letter)
      // Joins the parts of one letter, such as a Hangul syllable or a voiced kana.
      .normalize("NFC")
  );
}

/** A cheap test: most texts have no character of a script without spaces. */
const MAY_BE_UNSPACED = /[\u0e00-\u1fff\u2e80-\uffff]/;
/**
 * A character with its vowel and tone marks. Hangul counts as such a script. U+02BC, which Thai and Latin share, does
 * not count as Thai.
 */
const UNSPACED =
  /(?!\u02bc)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\p{M}*/gu;

/** The tokenizer keeps letters, numbers and private-use characters. A word may have marks, too. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
export const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/** Folds a text for the text index, where spaces separate all words, also in Chinese or Thai. */
export function foldWords(text: string): string {
  const folded = baseLetters(text);
  return MAY_BE_UNSPACED.test(folded) ? folded.replace(UNSPACED, " $& ") : folded;
}

/** A text of up to this many characters is indexed completely. */
export const MAX_SHORT_CHARS = 1 << 16;
/** Ends before a space if one is near. */
const PIECE = /[\s\S]{1,16384}\S{0,1000}\p{M}*/gu;
const MAX_WORDS = 1 << 18;
const MAX_DIFFERENT_WORDS = 1 << 16;

/** Folds up to the piece that exceeds a limit: more words would delay searches. A hash tells words apart. */
export function foldLongText(text: string): string {
  const seen = new Uint8Array(1 << 20);
  let folded = "";
  let words = 0;
  let different = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (words > MAX_WORDS || different > MAX_DIFFERENT_WORDS) break;
    const part = foldWords(piece);
    folded += part;
    for (let at = 0, hash = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      const isInWord = unit > 0x60 ? unit < 0x7b || unit > 0x7f : unit > 0x2f && unit < 0x3a;
      if (isInWord) hash = Math.imul(hash + unit, 0x9e3779b1);
      else if (hash !== 0) {
        words++;
        different += 1 - (seen[hash >>> 12] ?? 0);
        seen[hash >>> 12] = 1;
        hash = 0;
      }
    }
  }
  return folded;
}

/** Words that follow one another. An address or a text in Chinese has several. */
export interface Phrase {
  readonly words: readonly string[];
  /** True if it was in closed quotes. Otherwise its last word also finds longer words that begin with it. */
  readonly isWhole: boolean;
}

/** The phrase has no words if nothing in the text can be searched for. */
export function phraseOf(text: string, isWhole: boolean): Phrase {
  const folded = foldWords(text);
  return { words: SEARCHABLE.test(folded) ? (folded.match(WORD) ?? []) : [], isWhole };
}
