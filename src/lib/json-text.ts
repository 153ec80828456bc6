// The JSON of strings. Nearly all are plain ASCII and need nothing but their quotes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** One by one: for texts as short as addresses an expression takes longer. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
}

export const jsonText = (text: string): string => (isPlain(text) ? `"${text}"` : JSON.stringify(text));

export function jsonList(texts: readonly string[]): string {
  let list = "";
  for (const text of texts) list = list === "" ? jsonText(text) : `${list},${jsonText(text)}`;
  return `[${list}]`;
}
