// A text folded for a comparison, with the way back: from where in the text each folded character came.
export interface Folded {
  readonly text: string;
  /** By the place of a folded character: where its letter begins and ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Marks, and what begins with one when it is taken apart: narrow voicing marks of kana, the Thai and Lao vowel AM. */
const MARK = String.raw`\p{M}\uff9e\uff9f\u0e33\u0eb3`;
const SYLLABLE = String.raw`[\u1100-\u115f]+[\u1160-\u11a7]+[\u11a8-\u11ff]*`;
/** What is folded as one: a letter with its marks, a Hangul syllable. */
const LETTER = new RegExp(`${SYLLABLE}|[^${MARK}]?[${MARK}]+|[^]`, "gu");

export function foldText(text: string, fold: (letter: string) => string): Folded {
  const known = new Map<string, string>();
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = "";
  let start = 0;
  for (const letter of text.match(LETTER) ?? []) {
    const plain = known.get(letter) ?? fold(letter);
    known.set(letter, plain);
    folded += plain;
    for (let count = 0; count < plain.length; count++) {
      starts.push(start);
      ends.push(start + letter.length);
    }
    start += letter.length;
  }
  return { text: folded, starts, ends };
}
