// Text as it is compared when accents, case and width do not matter: "Łódź" as "lodz", "Αθήνα" as "αθηνα",
// "ＦＵＬＬ" as "full". Both sides of a comparison must go through here.
import { withFewMarks } from "./few-marks.ts";

/**
 * Accents of Latin, Greek and Cyrillic; points of Hebrew; vowel signs of Arabic; the choice between shapes; and what
 * says where a word may be parted at the end of a line, or not, and is not seen inside of it.
 */
const MARKS =
  /[\ufe00-\ufe0f\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\xad\u180e\u200b\u2060-\u2064\ufeff]/g;
/**
 * A symbol separates words, even where Unicode would spell it out ("™" as "TM"). So does what SQLite's tokenizer does
 * not know, and would take for a letter: the marks of direction that programs put around a name, younger punctuation,
 * and what is no character yet.
 */
const SEPARATORS = /[\p{S}\p{Cn}\u061c\u2066-\u2069\u2e3c-\u2e5d]+/gu;
/** What Unicode does not decompose. */
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

export function baseLetters(text: string): string {
  return (
    withFewMarks(text)
      .replace(SEPARATORS, " ")
      .normalize("NFKD")
      .replace(MARKS, "")
      .toLowerCase()
      .replace(STROKED, (letter) => PLAIN[letter] ?? letter)
      // Puts together again what is one letter: a Hangul syllable, a voiced kana.
      .normalize("NFC")
  );
}
