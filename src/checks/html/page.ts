// The HTML of a mail as lists of elements and texts with their offsets.
import { Parser } from "htmlparser2";
import { type Css, type Declaration, readCss, readStyle } from "./css.ts";

export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly offset: number;
  readonly parent: PageElement | null;
  /** The declarations of its style attribute. */
  readonly style: readonly Declaration[];
  /** The text in a link, button or heading, with labels of images. Empty in other elements. */
  text: string;
}

export interface PageText {
  text: string;
  readonly offset: number;
  readonly parent: PageElement | null;
}

export interface Page {
  /** Parents come before their children. */
  readonly elements: readonly PageElement[];
  /** Only text that is shown: scripts, style sheets, the title and the like are left out. */
  readonly texts: readonly PageText[];
  readonly sheets: readonly Css[];
  /** False if the HTML has too many elements or nests them too deep. */
  readonly isWhole: boolean;
  /** Comments that Outlook reads as HTML: `<!--[if mso]>…<![endif]-->`. */
  readonly conditionals: readonly { readonly html: string; readonly offset: number }[];
  /** The offset of the first comment; null if there is none. */
  readonly comment: number | null;
  place(offset: number): { line: number; column: number };
}

const NAMED_BY_TEXT = /^(?:a|button|h[1-6])$/;
const NOT_SHOWN = new Set(["script", "title", "template", "noscript", "head"]);
const MAX_TEXT_CHARS = 500;
/** No real mail exceeds these limits. Parsing gets slower the deeper the elements are nested. */
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 1000;
const CHUNK_CHARS = 4096;

export function readPage(html: string): Page {
  const elements: PageElement[] = [];
  const texts: PageText[] = [];
  const styles: { css: string; readonly offset: number }[] = [];
  const conditionals: { html: string; offset: number }[] = [];
  const open: PageElement[] = [];
  let comment: number | null = null;
  /** The newest element when the parser last reported text. If it is still the newest, the text goes on. */
  let previous: PageElement | undefined;
  /** The innermost open links, buttons and headings. They collect the text inside. */
  let named: PageElement[] = [];
  let hidden = 0;
  const take = (text: string) => {
    for (const element of named) if (element.text.length < MAX_TEXT_CHARS) element.text += text;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const offset = parser.startIndex;
      const style = attributes.style ? readStyle(attributes.style, offset) : [];
      const element = { name, attributes, offset, parent: open.at(-1) ?? null, style, text: "" };
      elements.push(element);
      open.push(element);
      if (NOT_SHOWN.has(name)) hidden++;
      if (NAMED_BY_TEXT.test(name)) named = [...named.slice(-10), element];
      if (name === "img") take(` ${attributes["aria-label"] ?? attributes.alt ?? ""} `);
    },
    onclosetag(name) {
      const element = open.pop();
      if (NOT_SHOWN.has(name)) hidden--;
      if (element && NAMED_BY_TEXT.test(name)) named = named.filter((one) => one !== element);
    },
    ontext(text) {
      const parent = open.at(-1) ?? null;
      // The parser may report one text in several pieces, between which no element opens.
      const continues = elements.at(-1) === previous;
      previous = elements.at(-1);
      const [sheet, last] = [styles.at(-1), texts.at(-1)];
      if (parent?.name === "style") {
        if (sheet && continues) sheet.css += text;
        else styles.push({ css: text, offset: parser.startIndex });
      } else if (hidden === 0) {
        if (last && last.parent === parent && continues) last.text += text;
        else texts.push({ text, offset: parser.startIndex, parent });
        take(text);
      }
    },
    oncomment(text) {
      comment ??= parser.startIndex;
      const [condition = ""] = /^\[if [^\]]*\]>/.exec(text) ?? [];
      const html = text.slice(condition.length);
      if (condition) conditionals.push({ html, offset: parser.startIndex + `<!--${condition}`.length });
    },
  });
  const isTooMuch = () => elements.length > MAX_ELEMENTS || open.length > MAX_DEPTH;
  for (let at = 0; at < html.length && !isTooMuch(); at += CHUNK_CHARS)
    parser.write(html.slice(at, at + CHUNK_CHARS));
  const isWhole = !isTooMuch();
  parser.end();
  const lines = lineStarts(html);
  const sheets = styles.map(({ css, offset }) => readCss(css, offset));
  return {
    elements,
    texts,
    sheets,
    isWhole,
    conditionals,
    comment,
    place: (offset) => placeIn(lines, offset),
  };
}

function lineStarts(html: string): number[] {
  const starts = [0];
  for (let at = html.indexOf("\n"); at >= 0; at = html.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeIn(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] as number) + 1 };
}
