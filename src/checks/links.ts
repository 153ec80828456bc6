// Checks the links and images of a mail. Nothing is fetched unless the user wants it.
import { counted, percentDecoded } from "../lib/text.ts";
import { findLinks } from "../mime/index.ts";
import type { Check } from "../model/index.ts";
import { type Fetched, fetchLinks, isAllowed } from "./fetch-links.ts";
import { concluded, Findings, quoted, type RuleOf, type Where } from "./finding.ts";
import { isLocalHost } from "./hosts.ts";
import { urlsIn } from "./html/css.ts";
import { type Page, type PageElement, readPage } from "./html/page.ts";
import type { CheckedMail, CheckInput } from "./mail.ts";
import { placeholderInUrl } from "./placeholders.ts";

const RULES = {
  error: {
    "link-empty": "Give the link an address.",
    "link-invalid": "Write a whole address, such as https://example.com/page.",
    "link-relative": "Write the whole address: a mail has no base address.",
    "link-scheme": "Use https, mailto or tel: mail clients block everything else.",
    "link-placeholder": "Give the template a value for it.",
    "link-local": "Link to the public address; readers cannot reach this one.",
    "link-broken": "Correct the address, or repair the server behind it.",
    "image-missing": "Attach the image with this Content-ID, or link to it.",
  },
  warning: {
    "link-refused": "Open the link yourself: the server does not let programs in.",
    "link-http": "Use https: clients warn of http, or show no such images.",
    "link-mismatch": "Show the host that the link leads to: filters take anything else for phishing.",
    "anchor-missing": "Add an element with this id, or remove the link.",
  },
  info: {
    "link-redirects": "Link to where it leads in the end.",
    "link-not-fetched":
      "Open the link yourself, or allow a host of your own network with --check-links-allow.",
  },
};

interface Link {
  readonly url: string;
  readonly kind: "link" | "image";
  readonly text: string;
  readonly where: Where;
}

type Found = Findings<typeof RULES>;

const KNOWN_SCHEMES = /^(?:https?|mailto|tel|sms|cid|data|webcal):/i;

function linksOf({ text, fields }: CheckedMail, page: Page): Link[] {
  const links: Link[] = [];
  for (const element of page.elements) links.push(...linksIn(element, page.place(element.offset)));
  for (const { html, offset } of page.conditionals) {
    for (const element of readPage(html).elements)
      links.push(...linksIn(element, page.place(offset + element.offset)));
  }
  for (const { value, offset } of page.sheets.flatMap(({ declarations }) => declarations)) {
    const where = page.place(offset);
    for (const url of urlsIn(value)) links.push({ url, kind: "image", text: "", where });
  }
  const known = new Set(links.map(({ url }) => url));
  for (const { url, where } of findLinks({ html: "", text, headers: fields })) {
    if (known.has(url)) continue;
    const place = where === "headers" ? { header: listFieldOf(url, fields) } : { part: "text/plain" };
    links.push({ url, kind: "link", text: "", where: place });
  }
  return links.map((link) => ({ ...link, url: link.url.replace(/[\t\n\r]/g, "").trim() }));
}

/** The List- field with the URL. If folding has split the URL, we assume List-Unsubscribe. */
const listFieldOf = (url: string, fields: CheckedMail["fields"]) =>
  fields.find(({ key, value }) => key.startsWith("list-") && value.includes(url))?.name ?? "List-Unsubscribe";

/** Elements whose `href` is a link. Outlook reads VML elements such as v:roundrect, too. */
const HAS_HREF = /^(?:a|area|link|v:\w+)$/;
/**
 * A source of `srcset` (HTML, 4.8.4.2.1). A comma ends the address only before a blank or at the
 * end of the text.
 */
const SOURCE = /([^\s,]\S*?)(?:,(?=\s|$)|\s[^,]*|$)/g;
const HAS_SRC = /^(?:video|audio|source|iframe|embed|v:\w+)$/;

function linksIn({ name, attributes, style, text }: PageElement, where: Where): Link[] {
  const { href, src, action, formaction, poster, background } = attributes;
  const links: Link[] = [];
  for (const url of [HAS_HREF.test(name) ? href : undefined, action, formaction])
    if (url !== undefined) links.push({ url, kind: "link", text, where });
  const images = [
    name === "img" ? (src ?? "") : HAS_SRC.test(name) ? src : undefined,
    poster,
    background,
    ...style.flatMap(({ value }) => urlsIn(value)),
    ...Array.from(attributes.srcset?.matchAll(SOURCE) ?? [], ([, address]) => address),
  ];
  for (const url of images) if (url !== undefined) links.push({ url, kind: "image", text: "", where });
  return links;
}

/** Names of products and files, although .net and .md are top-level domains, too. */
const NO_HOST =
  "asp\\.net|[^/?#:]+\\.(?:js|ts|py|rb|java|exe|dll|pdf|docx?|xlsx?|pptx?|odt|ods|txt|md|csv|json|xml|ya?ml|html?|css|ics|eml|log|png|jpe?g|gif|svg|webp|mp[34]|mov|zip|gz|tar|dmg|apk)";
const HOST_IN_TEXT = new RegExp(
  `^(?!(?!www\\.)(?:${NO_HOST})$)(?:https?://)?(?:www\\.)?((?:[a-z\\d-]{1,63}\\.){1,10}[a-z]{2,20})(?:[/?#:]\\S*)?$`,
  "i",
);

/** Adds the faults to `found`. Returns each valid web address with the place of its first link. */
function findFaults(
  links: readonly Link[],
  mail: CheckedMail,
  allow: readonly string[],
  page: Page,
  found: Found,
): Map<string, Where> {
  const ids = new Set(page.elements.flatMap(({ attributes: { id, name } }) => [id, name]));
  const parts = new Set(mail.parts.map(({ contentId }) => contentId));
  const urls = new Map<string, Where>();

  for (const { url, kind, text, where } of links) {
    const what = kind === "image" ? "An image" : "A link";
    const fault = faultOf(url);
    if (fault) found.add(fault.rule, `${what} ${fault.says}`, where);
    else if (/^cid:/i.test(url)) {
      const id = decoded(url.slice("cid:".length));
      if (!parts.has(id))
        found.add("image-missing", `No part of the mail has the Content-ID ${quoted(id)}.`, where);
    } else if (url.startsWith("#")) {
      if (!ids.has(decoded(url.slice(1))))
        found.add("anchor-missing", `A link leads to ${quoted(url)}, which is not there.`, where);
    } else if (/^https?:/i.test(url)) {
      const target = new URL(url);
      const { hostname, protocol, href } = target;
      if (isLocalHost(hostname)) {
        if (!isAllowed(target, allow))
          found.add("link-local", `${what} leads to ${hostname}, which is not public.`, where);
      } else if (protocol === "http:")
        found.add("link-http", `${what} is not encrypted: ${quoted(url)}.`, where);
      const [, shown] = HOST_IN_TEXT.exec(text.trim()) ?? [];
      if (shown && !isSameSite(shown.toLowerCase(), hostname))
        found.add("link-mismatch", `A link shows ${shown} and leads to ${hostname}.`, where);
      if (!urls.has(href)) urls.set(href, where);
    }
  }
  return urls;
}

function faultOf(url: string): { rule: RuleOf<typeof RULES>; says: string } | undefined {
  if (url === "" || url === "#") return { rule: "link-empty", says: "leads nowhere: its address is empty." };
  const placeholder = placeholderInUrl(url.slice(0, 4000));
  if (placeholder)
    return { rule: "link-placeholder", says: `has a placeholder in it: ${quoted(placeholder)}.` };
  if (url.startsWith("#")) return undefined;
  if (/^\/\//.test(url) || !/^[a-z][a-z\d+.-]*:/i.test(url))
    return { rule: "link-relative", says: `is relative: ${quoted(url)}.` };
  if (!KNOWN_SCHEMES.test(url))
    return { rule: "link-scheme", says: `begins with ${quoted(url.split(":", 1)[0] ?? "")}.` };
  if (/^https?:/i.test(url) && !(URL.canParse(url) && /^https?:\/\/[^/]/i.test(url)))
    return { rule: "link-invalid", says: `has no valid address: ${quoted(url)}.` };
  return undefined;
}

const decoded = (text: string) => percentDecoded(text) ?? text;

const isSameSite = (shown: string, host: string) =>
  shown === host || host.endsWith(`.${shown}`) || shown.endsWith(`.${host}`) || host === `www.${shown}`;

export function webAddresses(mail: CheckedMail): string[] {
  const urls = linksOf(mail, readPage(mail.html)).map(({ url }) => url);
  return [...new Set(urls)].filter((url) => /^https?:/i.test(url));
}

export async function checkLinks({
  mail,
  allow,
  fetchesLinks,
}: Pick<CheckInput, "mail" | "allow" | "fetchesLinks">): Promise<Check> {
  const page = readPage(mail.html);
  const links = linksOf(mail, page);
  const found = new Findings(RULES);
  const urls = findFaults(links, mail, allow, page, found);
  const answers = fetchesLinks ? await fetchLinks([...urls.keys()], { allow }) : [];
  for (const [url, answer] of answers) tellAnswer(url, answer, urls.get(url) ?? null, found);
  const said = links.length === 1 ? "1 link or image" : `${links.length} links and images`;
  return concluded("links", found.list, { said });
}

/** Some servers answer a program with these statuses, but show the page to a person. */
const REFUSALS = [401, 403, 429];

function tellAnswer(url: string, answer: Fetched, where: Where, found: Found): void {
  if (answer.outcome === "answered") {
    const { status, url: end, redirects } = answer;
    if (REFUSALS.includes(status)) found.add("link-refused", `${quoted(url)} answers with ${status}.`, where);
    else if (status >= 400) found.add("link-broken", `${quoted(url)} answers with ${status}.`, where);
    else if (redirects > 0)
      found.add(
        "link-redirects",
        `${quoted(url)} leads to ${quoted(end)}, over ${counted(redirects, "redirect")}.`,
        where,
      );
  } else if (answer.outcome === "unreachable")
    found.add("link-broken", `${quoted(url)} cannot be reached: ${answer.reason}.`, where);
  else found.add("link-not-fetched", `${quoted(url)} was not fetched: ${answer.reason}.`, where);
}
