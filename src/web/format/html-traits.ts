// What can be told of an HTML body by looking at it: whether it has dark colours, where its
// links lead. A parsed document is inert: it runs and loads nothing.
import type { LinkTarget } from "./checks.ts";

export function knowsDarkMode(html: string): boolean {
  return /prefers-color-scheme\s*:\s*dark|color-scheme["'\s:=]+[^>;"']*dark/i.test(html);
}

export function linksInHtml(html: string): LinkTarget[] {
  // Our own content policy would complain about styles even in a document that is never shown.
  const bare = html.replace(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*')|<style[\s\S]*?<\/style>/gi, "");
  const document = new DOMParser().parseFromString(bare, "text/html");
  return [...document.querySelectorAll("a[href], area[href]")].map((element) => ({
    href: element.getAttribute("href")?.trim() ?? "",
    text: (element.textContent?.trim() || element.querySelector("img")?.alt || "").replace(/\s+/g, " "),
  }));
}
