// Shows a mail the way a client in light or dark mode would, whatever the reader's own system prefers:
// a frame cannot be told its colour scheme from outside.

const PREFERENCE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;
const ALWAYS = "(min-width:0)";
const NEVER = "(max-width:0)";

/** Where mails ask for the colour scheme: in style sheets, and for pictures in two versions. */
const ASKS = /<style[^>]*>[\s\S]*?<\/style>|<source[^>]*>/g;

/** Takes a document made by sanitizeHtml. */
export function forceColorScheme(html: string, scheme: "light" | "dark"): string {
  const forced = html.replace(ASKS, (asking) =>
    asking.replace(PREFERENCE, (_, asked: string) => (asked.toLowerCase() === scheme ? ALWAYS : NEVER)),
  );
  return forced.replace("</head>", () => `<style>:root{color-scheme:${scheme}!important}</style></head>`);
}
