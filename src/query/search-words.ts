// The words of a text and of a search, as they are compared: folded to base letters. In scripts without spaces every
// character is a word. Both the index and the page that marks matches use this.
import { baseLetters } from "./fold.ts";

/** A cheap test: most texts have no character of a script without spaces. */
const MAY_BE_UNSPACED = /[\u0e00-\u1fff\u2e80-\uffff]/;
/** One character with its vowel and tone marks. U+02BC is shared by Thai and Latin and is not a Thai character. */
const UNSPACED =
  /(?!\u02bc)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\p{M}*/gu;
/** What the tokenizer keeps: letters, digits, private use, and the marks on them. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
export const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/** Text in which every word is a run of letters and digits. */
export function foldWords(text: string): string {
  const folded = baseLetters(text);
  return MAY_BE_UNSPACED.test(folded) ? folded.replace(UNSPACED, " $& ") : folded;
}

/** Words that follow one another, several for an address or Chinese. */
export interface Phrase {
  readonly words: readonly string[];
  /** It stood in quotes; otherwise its last word may be the beginning of one. */
  readonly isWhole: boolean;
}

/** Without words when nothing in the text can be searched for. */
export function phraseOf(text: string, isWhole: boolean): Phrase {
  const folded = foldWords(text);
  return { words: SEARCHABLE.test(folded) ? (folded.match(WORD) ?? []) : [], isWhole };
}
