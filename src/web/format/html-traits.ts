// What can be told of an HTML body by looking at its text. Mail may be written so that a careless search
// takes minutes: repetitions are bounded, or what they look for is found only once.
const DARK_COLOURS =
  /prefers-color-scheme\s{0,9}:\s{0,9}dark|color-scheme(?:["']?\s{0,9}:|["']\s{1,9}content\s{0,9}=)["'\s]{0,9}(?:(?:light|only)[,\s]{1,9}){0,3}dark/i;

export function knowsDarkMode(html: string): boolean {
  return DARK_COLOURS.test(html);
}

/** The words of an HTML body, a line for each block. A parsed document is inert: it runs and loads nothing. */
export function htmlText(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const style of body.querySelectorAll("style")) style.remove();
  for (const block of body.querySelectorAll("p, div, br, tr, li, h1, h2, h3, h4")) block.append("\n");
  return (body.textContent ?? "")
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => line !== "")
    .join("\n");
}
