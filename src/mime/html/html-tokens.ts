// HTML as a flat run of tags and text, the way a browser's tokenizer cuts it, in linear time. No tree,
// no repair: whoever needs safe output must write every token anew.
import { decodeEntities } from "./html-entities.ts";

export interface HtmlVisitor {
  /** `attributes` is the raw text between name and ">"; see readAttributes. */
  open(name: string, attributes: string): void;
  close(name: string): void;
  /** Character references not yet decoded. */
  text(raw: string): void;
  /** The content of a `<style>`. Scripts, titles, templates and the like are dropped. */
  style?(css: string, attributes: string): void;
}

/** Elements whose content is not markup: it ends at their own end tag only. */
const RAW_TEXT = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];
/** What ends the content of each. */
const CLOSING = new Map(RAW_TEXT.map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, "gi")]));

/** Old names of "pre". What stands in the last two, of which "plaintext" has no end, is shown as it is written. */
const OLD_PRE = ["listing", "xmp", "plaintext"];
const shownAs = (name: string) => (OLD_PRE.includes(name) ? "pre" : name);

/** Browsers forgive the "!". */
const COMMENT_END = /--!?>/g;
const BRACKET = />/g;

const isLetter = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

/** White space, "/" or ">": what ends the name of a tag. */
const endsName = (code: number) =>
  code === 0x3e || code === 0x2f || code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Text is handed on in pieces of at most this many characters. */
const MAX_TEXT_CHARS = 1 << 16;
/** A tag with more quoted values than this is no tag in earnest. */
const MAX_QUOTES = 10_000;
/** Longer than any character reference. */
const REFERENCE_CHARS = 40;

class Tokenizer {
  readonly #html: string;
  readonly #visitor: HtmlVisitor;
  #textStart = 0;
  /** How many templates are open: what stands in one is never shown. */
  #templates = 0;
  /** The next "<" to look at; the end when there is none. */
  #at: number;
  /** Set once a quote is known not to come again, so that no tag searches to the end twice. */
  #lastDouble = false;
  #lastSingle = false;

  constructor(html: string, visitor: HtmlVisitor) {
    this.#html = html;
    this.#visitor = visitor;
    this.#at = this.#nextBracket(0);
  }

  /** Goes on until about there; false when it has come to the end. */
  run(until: number): boolean {
    for (;;) {
      while (this.#at - this.#textStart > MAX_TEXT_CHARS) {
        if (this.#textStart >= until) return true;
        const end = this.#textCut(this.#textStart + MAX_TEXT_CHARS);
        this.#flush(this.#textStart, end);
        this.#textStart = end;
      }
      if (this.#at >= this.#html.length) break;
      if (this.#at >= until) return true;
      const next = this.#tagAt(this.#at, this.#textStart);
      if (next >= 0) this.#textStart = next;
      this.#at = this.#nextBracket(next < 0 ? this.#at + 1 : next);
    }
    this.#flush(this.#textStart, this.#html.length);
    this.#textStart = this.#html.length;
    return false;
  }

  #nextBracket(from: number): number {
    const at = this.#html.indexOf("<", from);
    return at < 0 ? this.#html.length : at;
  }

  /** Not within a character reference. */
  #textCut(at: number): number {
    const from = at - REFERENCE_CHARS;
    const reference = this.#html.slice(from, at).lastIndexOf("&");
    return reference < 0 ? at : from + reference;
  }

  #flush(from: number, to: number): void {
    if (to > from && this.#templates === 0) this.#visitor.text(this.#html.slice(from, to));
  }

  /** Handles the construct at "<" and answers where to go on, or -1 when "<" is only text. */
  #tagAt(at: number, textStart: number): number {
    const html = this.#html;
    const code = html.charCodeAt(at + 1);
    if (isLetter(code)) {
      this.#flush(textStart, at);
      return this.#openTag(at);
    }
    if (code === 0x2f && isLetter(html.charCodeAt(at + 2))) {
      this.#flush(textStart, at);
      const end = this.#tagEnd(at + 2);
      const name = this.#nameAt(at + 2);
      if (this.#templates === 0) this.#close(name);
      else if (name === "template") this.#templates--;
      return end;
    }
    if (code !== 0x21 && code !== 0x3f && code !== 0x2f) return -1;
    this.#flush(textStart, at);
    return this.#commentEnd(at);
  }

  #close(name: string): void {
    // Browsers break the line at "</br>" too.
    if (name === "br") this.#visitor.open(name, "");
    else this.#visitor.close(shownAs(name));
  }

  #nameAt(at: number): string {
    let end = at;
    while (end < this.#html.length && !endsName(this.#html.charCodeAt(end))) end++;
    return this.#html.slice(at, end).toLowerCase();
  }

  #openTag(at: number): number {
    const html = this.#html;
    const name = this.#nameAt(at + 1);
    const end = this.#tagEnd(at + 1 + name.length);
    const isClosed = html.charCodeAt(end - 1) === 0x3e;
    const attributes = html.slice(at + 1 + name.length, isClosed ? end - 1 : end);
    if (name === "template" && !attributes.endsWith("/")) this.#templates++;
    if (this.#templates === 0) this.#visitor.open(shownAs(name), attributes);
    if (name === "plaintext") return this.#literal(end, html.length);
    return this.#rawText(name, attributes, end);
  }

  /** Where the content of an element ends that is not markup. */
  #rawText(name: string, attributes: string, from: number): number {
    const closing = CLOSING.get(name);
    if (closing === undefined) return from;
    closing.lastIndex = from;
    const found = closing.exec(this.#html);
    const end = found ? found.index : this.#html.length;
    if (name === "xmp") this.#literal(from, end);
    if (name === "style" && this.#templates === 0)
      this.#visitor.style?.(this.#html.slice(from, end), attributes);
    return end;
  }

  /** Text without character references. */
  #literal(from: number, to: number): number {
    for (let at = from; at < to && this.#templates === 0; at += MAX_TEXT_CHARS) {
      const text = this.#html.slice(at, Math.min(to, at + MAX_TEXT_CHARS));
      this.#visitor.text(text.replaceAll("&", "&amp;"));
    }
    return to;
  }

  #commentEnd(at: number): number {
    const html = this.#html;
    const isComment = html.startsWith("<!--", at);
    if (isComment && (html.startsWith(">", at + 4) || html.startsWith("->", at + 4))) {
      return html.indexOf(">", at) + 1;
    }
    const ending = isComment ? COMMENT_END : BRACKET;
    ending.lastIndex = at + (isComment ? 4 : 2);
    return ending.test(html) ? ending.lastIndex : html.length;
  }

  /** Just after the ">" that ends the tag; quotes only count after "=", as browsers have it. */
  #tagEnd(from: number): number {
    const html = this.#html;
    let at = from;
    let quotes = 0;
    let afterEquals = false;
    for (; at < html.length; at++) {
      const code = html.charCodeAt(at);
      if (code === 0x3e) return at + 1;
      if (code === 0x3d) afterEquals = true;
      else if ((code === 0x22 || code === 0x27) && afterEquals) {
        const end = this.#closingQuote(code, at + 1);
        if (end < 0 || ++quotes > MAX_QUOTES) return this.#firstBracket(at);
        at = end;
        afterEquals = false;
      } else if (code !== 0x20 && (code < 0x09 || code > 0x0d)) afterEquals = false;
    }
    return html.length;
  }

  #closingQuote(quote: number, from: number): number {
    const isDouble = quote === 0x22;
    if (isDouble ? this.#lastDouble : this.#lastSingle) return -1;
    const end = this.#html.indexOf(isDouble ? '"' : "'", from);
    if (end < 0 && isDouble) this.#lastDouble = true;
    if (end < 0 && !isDouble) this.#lastSingle = true;
    return end;
  }

  /** A quote that never ends: better to lose an attribute than the rest of the mail. */
  #firstBracket(from: number): number {
    const end = this.#html.indexOf(">", from);
    return end < 0 ? this.#html.length : end + 1;
  }
}

export function visitHtml(html: string, visitor: HtmlVisitor): void {
  new Tokenizer(html, visitor).run(html.length);
}

/** The same with a pause after about so many characters. */
export function* visitHtmlInSteps(html: string, visitor: HtmlVisitor, chars: number): Generator<void> {
  const tokenizer = new Tokenizer(html, visitor);
  for (let until = chars; tokenizer.run(until); until += chars) yield;
}

const ATTRIBUTE = /([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

/** Names in lower case, values decoded; of duplicates the first counts, as in browsers. */
export function readAttributes(raw: string): Map<string, string> {
  const attributes = new Map<string, string>();
  if (!/\S/.test(raw)) return attributes;
  for (const match of raw.matchAll(ATTRIBUTE)) {
    const name = (match[1] ?? "").toLowerCase();
    if (attributes.has(name)) continue;
    attributes.set(name, decodeEntities(match[2] ?? match[3] ?? match[4] ?? "", "attribute"));
  }
  return attributes;
}
