// Turns HTML into readable text: block elements become lines, list items get bullets or numbers, and links may
// be followed by their address. Style, script and invisible filler are left out.
import { decodeEntities, type HtmlVisitor, visitHtml } from "./tokens.ts";

/** Invisible characters. Newsletters pad their preview text with them. */
const UNSEEN = "\\u034f\\u00ad\\u180e\\u200b\\u2060-\\u2064\\ufeff";
/** Joiners and marks of direction have a meaning after a letter or an emoji, but not elsewhere. */
const FILLER = new RegExp(`[${UNSEEN}]|(?<![^\\s${UNSEEN}])[\\u200c-\\u200f]+`, "g");

export const withoutFiller = (text: string): string => text.replace(FILLER, "");

const SINGLE =
  "address article aside caption center dd details dialog div dt fieldset figcaption figure footer form header hgroup hr legend li main nav option section summary table tr";
const DOUBLE = "blockquote dir dl h1 h2 h3 h4 h5 h6 menu ol p pre ul";

/** Block elements, and how many line breaks separate them from the rest. */
const BLOCKS = new Map(SINGLE.split(" ").map((name) => [name, 1 as 1 | 2]));
for (const name of DOUBLE.split(" ")) BLOCKS.set(name, 2);

/** Elements that need a space between them on the same line. */
const SPACED = new Set(["td", "th", "button"]);
const CELLS = new Set(["td", "th"]);

const NOT_ASCII = /[^\x00-\x7f]/;
const GAP = /[^\S ]| {2}/;

class TextWriter {
  readonly #pieces: string[] = [];
  length = 0;
  #breaks = 0;
  #space = "";

  /** White space of any length becomes a single space. */
  flow(text: string): void {
    const clean = NOT_ASCII.test(text) ? withoutFiller(text) : text;
    const words = clean.trim();
    if (words === "") {
      if (clean !== "") this.#space ||= " ";
      return;
    }
    if (!clean.startsWith(words)) this.#space ||= " ";
    this.#write(GAP.test(words) ? words.replace(/\s+/g, " ") : words);
    this.#space = clean.endsWith(words) ? "" : " ";
  }

  note(text: string): void {
    const note = ` ${withoutFiller(text).replace(/\s+/g, " ")}`;
    this.#pieces.push(note);
    this.length += note.length;
  }

  preformatted(text: string): void {
    if (text !== "") this.#write(text);
  }

  gap(space: string): void {
    this.#space = space;
  }

  separate(breaks: number): void {
    this.#breaks = Math.max(this.#breaks, breaks);
    this.#space = "";
  }

  breakLine(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2);
    this.#space = "";
  }

  #write(text: string): void {
    if (this.length > 0 && this.#breaks > 0) this.#pieces.push("\n".repeat(this.#breaks));
    else if (this.length > 0 && this.#space !== "") this.#pieces.push(this.#space);
    this.#pieces.push(text);
    this.length += text.length;
    this.#breaks = 0;
    this.#space = "";
  }

  since(mark: number): string {
    return this.#pieces.slice(mark).join("");
  }

  get mark(): number {
    return this.#pieces.length;
  }
}

export interface TextOptions {
  /** Show the addresses of links after their words. */
  readonly links: boolean;
  readonly cellGap?: string;
  readonly maxChars: number;
  /** How many tokens may be read. Reading lowers the number, so that several texts can share a budget. */
  readonly budget?: { tokens: number };
}

/** If the words of a link are in more pieces than this, its address is left out. */
const MAX_LABEL_PIECES = 50;

function writeText(
  writer: TextWriter,
  { links, cellGap = " ", maxChars, budget }: TextOptions,
): HtmlVisitor & { end(): void } {
  let preformatted = 0;
  /** The number of the next item of each open list, NaN for bullets. */
  const lists: number[] = [];
  let link: { readonly url: string; readonly mark: number } | null = null;
  const endLink = () => {
    if (link === null) return;
    const { url, mark } = link;
    link = null;
    const label = writer.mark - mark > MAX_LABEL_PIECES ? "" : writer.since(mark);
    if (label.trim() !== "" && !label.includes(url.replace(/^(?:mailto|tel):/i, ""))) writer.note(`[${url}]`);
  };
  const part = (name: string) => writer.gap(CELLS.has(name) ? cellGap : " ");
  return {
    end: endLink,
    isDone: (tokens) => writer.length >= maxChars || (budget !== undefined && tokens >= budget.tokens),
    open(name, attributes) {
      const breaks = BLOCKS.get(name);
      if (breaks !== undefined) writer.separate(breaks);
      else if (name === "br") writer.breakLine();
      else if (SPACED.has(name)) part(name);
      else if (name === "img" && writer.length < maxChars) writer.flow(` ${attributes.get("alt") ?? ""} `);
      else if (name === "a" && links) {
        endLink();
        const url = (attributes.get("href") ?? "").trim();
        if (/^(?:https?|mailto|tel):/i.test(url)) link = { url, mark: writer.mark };
      }
      if (name === "pre") preformatted++;
      if (name === "ol") lists.push(Number.parseInt(attributes.get("start") || "1", 10));
      if (name === "ul") lists.push(Number.NaN);
      if (name === "li") {
        const next = lists.pop() ?? Number.NaN;
        const given = Number.parseInt(attributes.get("value") ?? "", 10);
        const number = Number.isNaN(given) || Number.isNaN(next) ? next : given;
        lists.push(number + 1);
        writer.flow(Number.isNaN(number) ? "• " : `${number}. `);
      }
    },
    close(name) {
      const breaks = BLOCKS.get(name);
      if (name === "a") endLink();
      else if (breaks !== undefined) writer.separate(breaks);
      else if (SPACED.has(name)) part(name);
      if (name === "pre" && preformatted > 0) preformatted--;
      if (name === "ol" || name === "ul") lists.pop();
    },
    text(raw) {
      if (writer.length >= maxChars) return;
      const text = decodeEntities(raw);
      if (preformatted > 0) writer.preformatted(text);
      else writer.flow(text);
    },
  };
}

export function htmlToText(html: string, options: TextOptions): string {
  const writer = new TextWriter();
  const visitor = writeText(writer, options);
  const tokens = visitHtml(html, visitor);
  if (options.budget) options.budget.tokens -= tokens;
  visitor.end();
  return writer.since(0).trim();
}

const MAX_DERIVED_CHARS = 32 * 1024 * 1024;

export const deriveText = (html: string): string =>
  htmlToText(html, { links: true, maxChars: MAX_DERIVED_CHARS });
