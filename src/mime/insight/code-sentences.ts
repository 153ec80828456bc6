// The sentence that a number belongs to: what the number is, its own sentence says. A line ends a sentence
// too; a number alone on its line goes on with the line above, unless that one is over.

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Sentence extends Span {
  /** The number has a line to itself. */
  readonly isAlone: boolean;
  /** It is all of an item in a list. */
  readonly isItem: boolean;
}

/** The full stop of "Order no. 482913" ends nothing. */
const SHORT_WORD = "(?:n[or]|(?<!\\p{L})(?:n|num|ref|id|tel|č|čís|sz|αρ))";
const STOP = `(?<!${SHORT_WORD})\\.(?=\\s|$)|[!?](?=\\s|$)|[。！？।۔؟]`;
const SENTENCE_END = new RegExp(`${STOP}|\\n`, "giu");
const IS_OVER = new RegExp(`(?:${STOP})$`, "iu");
/** The frame of a box. */
const BOX = "|\\u2500-\\u257f";
const MARKUP_ONLY = new RegExp(`^[\\s*_#>${BOX}"'“”‘’«»「」『』[\\](){}.:=~-]*$`, "u");
/** Arrows count on both sides: "< 482913" is a line of a diff. */
const ARROWS = "<>←→⇒⇨";
const ARROWS_ONLY = new RegExp(`^\\s*[${ARROWS}-]+\\s*$`, "u");
/** What an item of a list begins with. */
const ITEM = "(?:•|\\d{1,2}[.)])[ \\t]{1,4}";
const ITEM_ONLY = new RegExp(`^[ \\t>]*${ITEM}$`);
/** What parts a number that stands alone from the line above. */
const LINE_BREAK = new RegExp(`\\s*\\n[\\s*_#${ARROWS}${BOX}"'“‘«「『[({-]*(?:${ITEM})?$`, "u");
/** Of a long sentence only what is near. */
const MAX_BEFORE_CHARS = 160;
const MAX_AFTER_CHARS = 100;

function lineAt(text: string, { from, to }: Span): Pick<Sentence, "isAlone" | "isItem"> {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to);
  const line = { before: text.slice(start, from), after: text.slice(to, end < 0 ? text.length : end) };
  const isPointedAt = ARROWS_ONLY.test(line.before) && ARROWS_ONLY.test(line.after);
  const isLast = MARKUP_ONLY.test(line.after);
  const isItem = isLast && ITEM_ONLY.test(line.before);
  return { isAlone: isItem || isPointedAt || (isLast && MARKUP_ONLY.test(line.before)), isItem };
}

function lastSentence(before: string): string {
  let start = 0;
  for (const { index, 0: end } of before.matchAll(SENTENCE_END)) start = index + end.length;
  return before.slice(start);
}

export function sentenceAt(text: string, { from, to }: Span): Sentence {
  const before = text.slice(Math.max(0, from - MAX_BEFORE_CHARS), from);
  const { isAlone, isItem } = lineAt(text, { from, to });
  if (isAlone) {
    const above = before.replace(LINE_BREAK, "");
    const lead = IS_OVER.test(above) ? "" : lastSentence(above);
    return { from: from - (before.length - above.length) - lead.length, to, isAlone, isItem };
  }
  const behind = text.slice(to, to + MAX_AFTER_CHARS);
  const length = behind.search(SENTENCE_END);
  return {
    from: from - lastSentence(before).length,
    to: to + (length < 0 ? behind.length : length),
    isAlone,
    isItem,
  };
}
