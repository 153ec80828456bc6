// Where the links of an HTML body lead. A parsed document is inert: it runs and loads nothing.
import type { LinkTarget } from "./checks.ts";
import { withoutStyles } from "./html-traits.ts";

export function linksInHtml(html: string): LinkTarget[] {
  // Our own content policy would complain about styles even in a document that is never shown.
  const document = new DOMParser().parseFromString(withoutStyles(html), "text/html");
  return [...document.querySelectorAll("a[href], area[href]")].map((element) => ({
    href: element.getAttribute("href")?.trim() ?? "",
    text: (element.textContent?.trim() || element.querySelector("img")?.alt || "").replace(/\s+/g, " "),
  }));
}
