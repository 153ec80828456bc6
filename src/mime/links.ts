// Every link of a message once, in order: what it points to, its words, where it stands, what it is for.
import type { Header } from "./headers.ts";
import { decodeEntities } from "./html-entities.ts";
import { readAttributes, visitHtml } from "./html-tokens.ts";
import { hintsFor, type LinkHint } from "./link-hints.ts";

export interface Link {
  readonly url: string;
  /** The words of the link; "" where there are none. */
  readonly text: string;
  readonly where: "html" | "text" | "headers";
  readonly rel: LinkHint[];
}

export interface LinkSource {
  readonly html: string;
  readonly text: string;
  readonly headers?: readonly Header[];
}

const MAX_LINKS = 2000;
/** The same link with other words counts again. */
const MAX_OCCURRENCES = 5000;
const MAX_TEXT_CHARS = 500;
const MAX_URL_CHARS = 8192;
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

function addFromHtml(html: string, links: LinkList): void {
  let current: { url: string; words: string[]; title: string } | null = null;
  const end = () => {
    if (current) links.add(current.url, current.words.join("").trim() || current.title, "html");
    current = null;
  };
  visitHtml(html, {
    open(name, raw) {
      if (name === "a") end();
      if (name === "img" && current) current.words.push(readAttributes(raw).get("alt") ?? "");
      if (name === "br" || name === "div" || name === "p") current?.words.push(" ");
      if (name !== "a" && name !== "area") return;
      const attributes = readAttributes(raw);
      const url = attributes.get("href");
      const title = attributes.get("title") ?? attributes.get("aria-label") ?? attributes.get("alt") ?? "";
      if (url === undefined) return;
      if (name === "area") links.add(url, title, "html");
      else current = { url, words: [], title };
    },
    close(name) {
      if (name === "a") end();
    },
    text(raw) {
      if (current && current.words.length < MAX_TEXT_CHARS) current.words.push(decodeEntities(raw));
    },
  });
  end();
}

const TEXT_LINK =
  /\b(?:https?:\/\/|mailto:|tel:)[^\s<>"`\u00ab\u00bb\u201c-\u201e\u3000-\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c]+/gi;
const CLOSERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

const countOf = (text: string, char: string) => text.split(char).length - 1;

/** Punctuation at the end belongs to the sentence; a bracket too, unless the address opened it. */
function trimSentence(url: string): string {
  const unopened = new Map(
    Object.entries(CLOSERS).map(([closer, opener]) => [closer, countOf(url, closer) - countOf(url, opener)]),
  );
  let end = url.length;
  for (; end > 0; end--) {
    const char = url[end - 1] as string;
    const surplus = unopened.get(char);
    if (surplus === undefined ? !".,;:!?'*_~|".includes(char) : surplus <= 0) break;
    if (surplus !== undefined) unopened.set(char, surplus - 1);
  }
  return url.slice(0, end);
}

function addFromText(text: string, links: LinkList): void {
  for (const match of text.matchAll(TEXT_LINK)) {
    const url = trimSentence(match[0].slice(0, MAX_URL_CHARS));
    const lineStart = text.lastIndexOf("\n", match.index) + 1;
    const before = text.slice(Math.max(lineStart, match.index - 100), match.index).replace(/[\s[(<:]+$/, "");
    links.add(url, before, "text");
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
  addFromText(text, links);
  addFromHeaders(headers, links);
  return links.toArray();
}
