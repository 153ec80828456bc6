// Case folding by Unicode for substring and address comparison: fold both sides, then compare. From lower case, where
// "ẞ" is "ß", through upper case, where "ß" is "SS" and "ς" is "Σ"; ASCII text comes out as SQLite's lower() has it.
import { withFewMarks } from "./few-marks.ts";

/** "İ" in lower case is an "i" that keeps its dot as a mark of its own. */
const DOTTED_I = /i\u0307/g;

export const foldCase = (text: string): string =>
  withFewMarks(text)
    .normalize("NFC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(DOTTED_I, "i");
