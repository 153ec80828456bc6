// How deep a JSON text is nested and how many values it has, before it is parsed. One pass, whatever the text is: a
// regular expression for its strings tries one that does not end anew from each of its quotes.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

export interface JsonShape {
  readonly depth: number;
  readonly values: number;
}

export function shapeOf(json: string): JsonShape {
  let level = 0;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if (code === COMMA) values++;
    else if (OPENING.has(code)) depth = Math.max(depth, ++level);
    else if (CLOSING.has(code)) level--;
  }
  return { depth, values };
}

/** Where the quote is that ends the string, or the end of a text that breaks off in it. */
function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return json.length;
}
