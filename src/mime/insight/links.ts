// Every link of a message once, in order: what it points to, its words, where it stands, what it is for.
import type { LinkHint, MessageHeader, MessageLink } from "../../model/index.ts";
import { decodeEntities, visitHtml } from "../html/tokens.ts";
import { hintsFor } from "./link-words.ts";
import { findTextLinks, MAX_URL_CHARS, wordsAfter, wordsBefore } from "./text-links.ts";

export interface LinkSource {
  readonly html: string;
  /** The text part; text made from the HTML would only repeat its links. */
  readonly text: string;
  readonly headers?: readonly MessageHeader[];
}

const MAX_LINKS = 10_000;
/** The same link with other words counts again. */
const MAX_OCCURRENCES = 20_000;
const MAX_TEXT_CHARS = 500;
const MAX_LEAD_CHARS = 100;
const SCHEME = /^(?:https?:\/\/|mailto:|tel:)./i;

const addressOf = (url: string) => url.replace(/[\t\n\r]/g, "").trim();
/** Addresses that differ only in spelling are the same link. */
const keyOf = (address: string) => (URL.canParse(address) ? new URL(address).href : address);
const labelOf = (text: string) => text.slice(0, MAX_TEXT_CHARS).replace(/\s+/g, " ").trim();

class LinkList {
  readonly #links = new Map<string, MessageLink>();
  readonly #seen = new Set<string>();
  /** By the words of the block above. */
  readonly #guesses = new Map<string, readonly LinkHint[]>();

  add(url: string, text: string, where: MessageLink["where"], hints: readonly LinkHint[]): void {
    const address = addressOf(url);
    if (!SCHEME.test(address) || address.length > MAX_URL_CHARS) return;
    const label = labelOf(text);
    const occurrence = `${address}\n${label}\n${hints.join()}`;
    if (this.#seen.has(occurrence) || this.#seen.size >= MAX_OCCURRENCES) return;
    this.#seen.add(occurrence);
    const key = keyOf(address);
    const known = this.#links.get(key);
    if (!known && this.#links.size >= MAX_LINKS) return;
    const link = known ?? { url: address, text: label, where, rel: [] };
    this.#links.set(key, { ...link, text: link.text || label, rel: [...new Set([...link.rel, ...hints])] });
  }

  guess(url: string, hints: readonly LinkHint[]): void {
    if (hints.length > 0) this.#guesses.set(keyOf(addressOf(url)), hints);
  }

  /** A block may describe a link further down. Such a guess counts only if no link has that hint itself. */
  takeGuesses(): void {
    const told = new Set([...this.#links.values()].flatMap(({ rel }) => rel));
    for (const [key, hints] of this.#guesses) {
      const link = this.#links.get(key);
      if (link?.rel.length === 0)
        this.#links.set(key, { ...link, rel: hints.filter((hint) => !told.has(hint)) });
    }
  }

  toArray(): MessageLink[] {
    return [...this.#links.values()];
  }
}

/** The words of a link count more than those around it. */
const firstOf = (own: LinkHint[], otherwise: () => LinkHint[]) => (own.length > 0 ? own : otherwise());

/** Elements that do not separate the words around them. */
const INLINE =
  /^(?:abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)$/;

interface Anchor {
  readonly url: string;
  readonly title: string;
  readonly words: string[];
  readonly lead: string;
  /** Not only pictures. */
  hasText: boolean;
}

function addFromHtml(html: string, links: LinkList): void {
  let current: Anchor | null = null;
  /** The link just before these words, if its own words do not say what it is for. */
  let untold: { readonly url: string; readonly label: string } | null = null;
  /** Words outside of links, since the last link or block. */
  let run: string[] = [];
  /** The words of the block above, until a link has followed. */
  let above = "";
  const endRun = (isBeforeLink: boolean): string => {
    const text = run.join("").replace(/\s+/g, " ");
    run = [];
    const hints = untold ? hintsFor(wordsAfter(text.slice(0, MAX_TEXT_CHARS), isBeforeLink), "") : [];
    if (untold && hints.length > 0) links.add(untold.url, untold.label, "html", hints);
    untold = null;
    if (text !== "") addFromText(text, "html", links);
    if (text.trim() !== "") above = text.slice(-MAX_LEAD_CHARS);
    return text.slice(-MAX_LEAD_CHARS);
  };
  const endLink = () => {
    if (!current) return;
    const { url, title, words, lead, hasText } = current;
    current = null;
    const label = labelOf(words.join("").trim() || title);
    const hints = firstOf(hintsFor(label, url), () => hintsFor(wordsBefore(lead), ""));
    links.add(url, label, "html", hints);
    untold = hints.length > 0 ? null : { url, label };
    // A picture alone is mostly the logo at the top.
    if (!hasText) return;
    if (lead.trim() === "" && above !== "") links.guess(url, hintsFor(wordsBefore(`${above}\n\n`), ""));
    above = "";
  };
  visitHtml(html, {
    open(name, attributes) {
      const lead = INLINE.test(name) ? "" : endRun(name === "a");
      if (name === "a") endLink();
      if (name === "img" && current) current.words.push(attributes.get("alt") ?? "");
      else if (!INLINE.test(name)) current?.words.push(" ");
      if (name !== "a" && name !== "area") return;
      const url = attributes.get("href");
      const title = attributes.get("title") ?? attributes.get("aria-label") ?? attributes.get("alt") ?? "";
      if (url === undefined) return;
      if (name === "area") links.add(url, title, "html", hintsFor(title, url));
      else current = { url, words: [], title, lead, hasText: false };
    },
    close(name) {
      if (!INLINE.test(name)) {
        endRun(false);
        current?.words.push(" ");
      }
      if (name === "a") endLink();
    },
    text(raw) {
      const text = decodeEntities(raw);
      if (!current) run.push(text);
      else if (current.words.length < MAX_TEXT_CHARS) current.words.push(text);
      if (current && text.trim() !== "") current.hasText = true;
    },
  });
  endRun(false);
  endLink();
}

function addFromText(text: string, where: MessageLink["where"], links: LinkList): void {
  for (const { url, label, after } of findTextLinks(text)) {
    const hints = firstOf(hintsFor(label, url), () => hintsFor(after, ""));
    links.add(url, label, where, hints);
  }
}

/** RFC 2369 section 2: white space within does not count. The subject of a mailto link may have some. */
const unfolded = (url: string) => (/^\s*https?:/i.test(url) ? url.replace(/\s+/g, "") : url);

const LIST_HEADERS = /^list-(?:unsubscribe|help|subscribe|archive|owner|post)$/i;

function addFromHeaders(headers: readonly MessageHeader[], links: LinkList): void {
  const isOneClick = headers.some(({ name }) => name.toLowerCase() === "list-unsubscribe-post");
  for (const { name, value } of headers) {
    if (!LIST_HEADERS.test(name)) continue;
    const isUnsubscribe = name.toLowerCase() === "list-unsubscribe";
    for (const [, written = ""] of value.matchAll(/<([^<>]+)>/g)) {
      const url = unfolded(written);
      const oneClick: LinkHint[] = isOneClick && /^\s*https:/i.test(url) ? ["one-click"] : [];
      const hints = isUnsubscribe ? (["unsubscribe", ...oneClick] as const) : [];
      links.add(url, "", "headers", [...hintsFor("", url), ...hints]);
    }
  }
}

export function findLinks({ html, text, headers = [] }: LinkSource): MessageLink[] {
  const links = new LinkList();
  addFromHtml(html, links);
  addFromText(text, "text", links);
  links.takeGuesses();
  addFromHeaders(headers, links);
  return links.toArray();
}
