// What a mail could do better, told from its parts. Pure; every finding says what and why.
import { isLocalHost } from "../../lib/local-host.ts";
import type { Message, MessageHeader, MessageLink } from "../../model/index.ts";
import { withoutStyles } from "./html-traits.ts";
import { formatSize } from "./size.ts";

export type Verdict = "good" | "warn" | "info";

export interface Finding {
  readonly verdict: Verdict;
  readonly title: string;
  readonly detail: string;
}

/** Gmail shows the first 102 KB of the HTML and hides the rest behind a link. */
const GMAIL_CLIP_BYTES = 102 * 1024;

export function checkContent(
  message: Message,
  headers: readonly MessageHeader[],
  hasTextPart: boolean,
): Finding[] {
  return [
    checkTextPart(message, hasTextPart),
    checkSize(message),
    checkUnsubscribe(headers),
    checkFields(headers),
  ].filter((finding) => finding !== undefined);
}

function checkTextPart({ html_body }: Message, hasTextPart: boolean): Finding | undefined {
  if (html_body === "") return undefined;
  return hasTextPart
    ? {
        verdict: "good",
        title: "Has a text part",
        detail: "Clients that show no HTML have something to show.",
      }
    : {
        verdict: "warn",
        title: "No text part",
        detail: "Only HTML. Spam filters and clients that show no HTML expect a text/plain alternative.",
      };
}

function checkSize({ html_body }: Message): Finding | undefined {
  if (html_body === "") return undefined;
  const bytes = new TextEncoder().encode(html_body).length;
  const size = formatSize(bytes);
  return bytes > GMAIL_CLIP_BYTES
    ? { verdict: "warn", title: `HTML of ${size}`, detail: "Gmail clips messages over 102 KB." }
    : {
        verdict: "good",
        title: `HTML of ${size}`,
        detail: "Below the 102 KB from which Gmail clips messages.",
      };
}

function checkUnsubscribe(headers: readonly MessageHeader[]): Finding {
  const value = fieldValue(headers, "List-Unsubscribe");
  if (value === undefined) {
    return {
      verdict: "info",
      title: "No List-Unsubscribe",
      detail: "Fine for a receipt or a password reset. Gmail and Yahoo require it on bulk mail.",
    };
  }
  const isOneClick = /one-click/i.test(fieldValue(headers, "List-Unsubscribe-Post") ?? "");
  return isOneClick
    ? { verdict: "good", title: "List-Unsubscribe with one click", detail: value }
    : { verdict: "info", title: "List-Unsubscribe without one click", detail: value };
}

function checkFields(headers: readonly MessageHeader[]): Finding {
  const missing = ["From", "Date", "Message-ID", "Subject"].filter(
    (name) => !fieldValue(headers, name)?.trim(),
  );
  return missing.length === 0
    ? { verdict: "good", title: "Header complete", detail: "From, Date, Message-ID and Subject are there." }
    : {
        verdict: "warn",
        title: `Missing ${missing.join(", ")}`,
        detail: "Receivers distrust mail without them.",
      };
}

function fieldValue(headers: readonly MessageHeader[], name: string): string | undefined {
  return headers.find((field) => field.name.toLowerCase() === name.toLowerCase())?.value;
}

export interface LinkTarget {
  readonly href: string;
  readonly text: string;
}

export interface CheckedLink extends LinkTarget {
  readonly count: number;
  readonly flaw: string | undefined;
}

/** The links that can be clicked in the HTML, and those that stand only in words there or in the text part. */
export function withOthers(clickable: readonly LinkTarget[], found: readonly MessageLink[]): LinkTarget[] {
  const known = new Set(clickable.map(({ href }) => sameness(href)));
  const others = found.filter(({ url, where }) => where !== "headers" && !known.has(sameness(url)));
  return [...clickable, ...others.map(({ url, text }) => ({ href: url, text }))];
}

const sameness = (href: string) => (URL.canParse(href) ? new URL(href).href : href);

/** Each address once, flawed ones first. */
export function checkLinks(links: readonly LinkTarget[]): CheckedLink[] {
  const checked = new Map<string, CheckedLink>();
  for (const link of links) {
    const known = checked.get(link.href);
    if (known) checked.set(link.href, { ...known, count: known.count + 1 });
    else checked.set(link.href, { ...link, count: 1, flaw: flawOf(link.href) });
  }
  return [...checked.values()].sort((a, b) => Number(!a.flaw) - Number(!b.flaw));
}

function flawOf(href: string): string | undefined {
  if (href === "" || href === "#") return "leads nowhere";
  if (/^(mailto|tel|sms):/i.test(href)) return undefined;
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (!url) return "not absolute";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `${url.protocol} does not work in mail`;
  if (isLocalHost(url.hostname)) return "local host";
  return url.protocol === "http:" ? "plain http" : undefined;
}

/** Where the links of an HTML body lead. A parsed document is inert: it runs and loads nothing. */
export function linksInHtml(html: string): LinkTarget[] {
  // Our own content policy would complain about styles even in a document that is never shown.
  const document = new DOMParser().parseFromString(withoutStyles(html), "text/html");
  return [...document.querySelectorAll("a[href], area[href]")].map((element) => ({
    href: element.getAttribute("href")?.trim() ?? "",
    text: (element.textContent?.trim() || element.querySelector("img")?.alt || "").replace(/\s+/g, " "),
  }));
}
