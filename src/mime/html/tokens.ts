// Reads HTML as a sequence of tags and texts, as htmlparser2 splits it. There is no tree, and nothing is repaired.
import { decodeHTML, decodeHTMLAttribute } from "entities";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Names are in lower case, values are decoded. If a name is repeated, the first value counts, as in browsers. */
export type Attributes = ReadonlyMap<string, string>;

export interface HtmlVisitor {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Character references are not decoded yet. */
  text(raw: string): void;
  /** The content of a `<style>`. Scripts, titles, templates and the like are dropped. */
  style?(css: string, attributes: Attributes): void;
  /** Called before each piece of the HTML, with the number of tokens so far. True if the rest is not needed. */
  isDone?(tokens: number): boolean;
}

const RAW_TEXT = new Set("script style title textarea xmp iframe noembed noframes plaintext".split(" "));
/** Old names of "pre". Tags inside `xmp` and `plaintext` are shown as text. */
const OLD_PRE = new Set(["listing", "xmp", "plaintext"]);
const shownAs = (name: string) => (OLD_PRE.has(name) ? "pre" : name);

const CHUNK_CHARS = 1 << 16;
/** A longer text is passed on in parts, so that a visitor that has enough can end. */
const MAX_TEXT_CHARS = 1 << 20;

class TokenReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #visitor: HtmlVisitor;
  /** The tokenizer reports a text in pieces, which are joined. */
  #text = { from: 0, to: 0 };
  #name = "";
  #attributes = new Map<string, string>();
  #attribute = "";
  #value = { from: -1, to: -1 };
  #raw = "";
  #css = "";
  /** How many templates are open. Their content is not shown. */
  #templates = 0;
  /** How many tags, attributes, comments and pieces of text were read. */
  tokens = 0;

  constructor(html: string, visitor: HtmlVisitor) {
    this.#html = html;
    this.#visitor = visitor;
  }

  ontext(from: number, to: number): void {
    this.tokens++;
    if (from !== this.#text.to || to - this.#text.from > MAX_TEXT_CHARS) {
      this.#flush();
      this.#text.from = from;
    }
    this.#text.to = to;
  }

  onopentagname(from: number, to: number): void {
    this.tokens++;
    this.#flush();
    this.#name = this.#html.slice(from, to).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(from: number, to: number): void {
    this.tokens++;
    this.#attribute = this.#html.slice(from, to).toLowerCase();
    this.#value.from = -1;
  }

  onattribdata(from: number, to: number): void {
    if (this.#value.from < 0) this.#value.from = from;
    this.#value.to = to;
  }

  onattribend(): void {
    if (this.#attributes.has(this.#attribute)) return;
    const { from, to } = this.#value;
    const value = from < 0 ? "" : this.#html.slice(from, to);
    this.#attributes.set(this.#attribute, value.includes("&") ? decodeHTMLAttribute(value) : value);
  }

  onopentagend(): void {
    this.#open(false);
  }

  onselfclosingtag(): void {
    this.#open(true);
  }

  onclosetag(from: number, to: number): void {
    this.tokens++;
    this.#flush();
    const name = this.#html.slice(from, to).toLowerCase();
    this.#endRaw();
    if (name === "template" && this.#templates > 0) this.#templates--;
    else if (this.#templates > 0) return;
    // Browsers show "</br>" as a line break.
    else if (name === "br") this.#visitor.open(name, new Map());
    else this.#visitor.close(shownAs(name));
  }

  onend(): void {
    this.#flush();
    this.#endRaw();
  }

  oncomment(): void {
    this.tokens++;
    this.#flush();
  }

  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}

  #open(isSelfClosing: boolean): void {
    const name = this.#name;
    if (name === "template" && !isSelfClosing) this.#templates++;
    if (this.#templates === 0) this.#visitor.open(shownAs(name), this.#attributes);
    if (RAW_TEXT.has(name)) this.#raw = name;
  }

  #flush(): void {
    const { from, to } = this.#text;
    if (from === to) return;
    this.#text.from = to;
    if (this.#templates > 0) return;
    const text = this.#html.slice(from, to);
    if (this.#raw === "") this.#visitor.text(text);
    else if (this.#raw === "style") this.#css += text;
    else if (OLD_PRE.has(this.#raw)) this.#visitor.text(text.replaceAll("&", "&amp;"));
  }

  #endRaw(): void {
    if (this.#raw === "style" && this.#templates === 0) this.#visitor.style?.(this.#css, this.#attributes);
    this.#raw = "";
    this.#css = "";
  }
}

/** Returns how many tokens were read. */
export function visitHtml(html: string, visitor: HtmlVisitor): number {
  const reader = new TokenReader(html, visitor);
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader);
  for (let at = 0; at < html.length && !visitor.isDone?.(reader.tokens); at += CHUNK_CHARS)
    tokenizer.write(html.slice(at, at + CHUNK_CHARS));
  tokenizer.end();
  return reader.tokens;
}

export const decodeEntities = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);
