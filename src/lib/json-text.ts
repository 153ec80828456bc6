// The JSON of strings. Nearly all are plain ASCII and need nothing but their quotes.

const PLAIN = /^[ !#-[\]-~]*$/;

export const jsonText = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

export function jsonList(texts: readonly string[]): string {
  let list = "";
  for (const text of texts) list = list === "" ? jsonText(text) : `${list},${jsonText(text)}`;
  return `[${list}]`;
}
