// Every link of a message once, in order: what it points to, its words, where it stands, what it is for.
import type { Header } from "./header/headers.ts";
import { decodeEntities } from "./html/html-entities.ts";
import { readAttributes, visitHtml } from "./html/html-tokens.ts";
import { hintsFor, type LinkHint } from "./link-hints.ts";
import { findTextLinks, MAX_URL_CHARS, wordsAfter, wordsBefore } from "./text-links.ts";

export interface Link {
  readonly url: string;
  /** The words of the link; "" where there are none. */
  readonly text: string;
  readonly where: "html" | "text" | "headers";
  readonly rel: LinkHint[];
}

export interface LinkSource {
  readonly html: string;
  /** Of a text part; text made from the HTML would only repeat its links. */
  readonly text: string;
  readonly headers?: readonly Header[];
}

export const MAX_LINKS = 10_000;
/** The same link with other words counts again. */
const MAX_OCCURRENCES = 20_000;
const MAX_TEXT_CHARS = 500;
const MAX_LEAD_CHARS = 100;
const SCHEME = /^(?:https?:\/\/|mailto:|tel:)./i;

class LinkList {
  readonly #links = new Map<string, Link>();
  /** Occurrences already taken in: address and words. */
  readonly #seen = new Set<string>();

  add(url: string, text: string, where: Link["where"], extra: readonly LinkHint[] = []): void {
    const address = url.replace(/[\t\n\r]/g, "").trim();
    if (!SCHEME.test(address) || address.length > MAX_URL_CHARS) return;
    const label = text.slice(0, MAX_TEXT_CHARS).replace(/\s+/g, " ").trim();
    const occurrence = `${address}\n${label}\n${extra.join()}`;
    if (this.#seen.has(occurrence) || this.#seen.size >= MAX_OCCURRENCES) return;
    this.#seen.add(occurrence);
    // Addresses that differ only in writing are the same link.
    const key = URL.canParse(address) ? new URL(address).href : address;
    const known = this.#links.get(key);
    if (!known && this.#links.size >= MAX_LINKS) return;
    const hints = hintsFor(label, address);
    const rel = [...new Set([...(known?.rel ?? []), ...hints, ...extra])];
    this.#links.set(
      key,
      known ? { ...known, text: known.text || label, rel } : { url: address, text: label, where, rel },
    );
  }

  toArray(): Link[] {
    return [...this.#links.values()];
  }
}

/** Elements that do not part the words around them. */
const INLINE = new Set(
  "abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr".split(
    " ",
  ),
);

interface Anchor {
  readonly url: string;
  readonly title: string;
  readonly words: string[];
  /** The words that lead to it. */
  readonly lead: string;
}

function addFromHtml(html: string, links: LinkList): void {
  let current: Anchor | null = null;
  /** The link just before the run, as long as its own words do not tell what it is for. */
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
    const { url, title, words, lead } = current;
    current = null;
    const label = words.join("").trim() || title;
    const isTold = hintsFor(label, url).length > 0;
    const hints = isTold ? [] : hintsFor(wordsBefore(lead), "");
    links.add(url, label, "html", hints);
    untold = isTold || hints.length > 0 ? null : { url, label };
  };
  visitHtml(html, {
    open(name, raw) {
      const lead = INLINE.has(name) ? "" : endRun(name === "a");
      if (name === "a") endLink();
      if (name === "img" && current) current.words.push(readAttributes(raw).get("alt") ?? "");
      else if (!INLINE.has(name)) current?.words.push(" ");
      if (name !== "a" && name !== "area") return;
      const attributes = readAttributes(raw);
      const url = attributes.get("href");
      const title = attributes.get("title") ?? attributes.get("aria-label") ?? attributes.get("alt") ?? "";
      if (url === undefined) return;
      if (name === "area") links.add(url, title, "html");
      else current = { url, words: [], title, lead: lead.trim() === "" ? `${above}\n\n` : lead };
      above = "";
    },
    close(name) {
      if (!INLINE.has(name)) {
        endRun(false);
        current?.words.push(" ");
      }
      if (name === "a") endLink();
    },
    text(raw) {
      if (!current) run.push(decodeEntities(raw));
      else if (current.words.length < MAX_TEXT_CHARS) current.words.push(decodeEntities(raw));
    },
  });
  endRun(false);
  endLink();
}

function addFromText(text: string, where: Link["where"], links: LinkList): void {
  for (const { url, label, after } of findTextLinks(text)) {
    const isTold = hintsFor(label, url).length > 0;
    links.add(url, label, where, isTold ? [] : hintsFor(after, ""));
  }
}

const LIST_HEADERS = /^list-(?:unsubscribe|help|subscribe|archive|owner|post)$/i;

function addFromHeaders(headers: readonly Header[], links: LinkList): void {
  const isOneClick = headers.some(({ name }) => name.toLowerCase() === "list-unsubscribe-post");
  for (const { name, value } of headers) {
    if (!LIST_HEADERS.test(name)) continue;
    const isUnsubscribe = name.toLowerCase() === "list-unsubscribe";
    for (const [, url = ""] of value.matchAll(/<([^<>]+)>/g)) {
      const oneClick: LinkHint[] = isOneClick && /^\s*https:/i.test(url) ? ["one-click"] : [];
      links.add(url, "", "headers", isUnsubscribe ? ["unsubscribe", ...oneClick] : []);
    }
  }
}

export function findLinks({ html, text, headers = [] }: LinkSource): Link[] {
  const links = new LinkList();
  addFromHtml(html, links);
  addFromText(text, "text", links);
  addFromHeaders(headers, links);
  return links.toArray();
}
