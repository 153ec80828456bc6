// What can be told of an HTML body by looking at it: whether it refers to other hosts, whether it has
// dark colours, where its links lead. A parsed document is inert: it runs and loads nothing.
import type { LinkTarget } from "./checks.ts";

const REMOTE_ATTRIBUTE = /\s(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\//i;
const REMOTE_STYLE = /(?:url\(|@import)\s*["']?\s*(?:https?:)?\/\//i;
const REMOTE_LINK = /<link\b[^>]*\bhref\s*=\s*["']?\s*(?:https?:)?\/\//i;

export function hasRemoteContent(html: string): boolean {
  return REMOTE_ATTRIBUTE.test(html) || REMOTE_STYLE.test(html) || REMOTE_LINK.test(html);
}

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
