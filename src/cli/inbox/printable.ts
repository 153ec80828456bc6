// What a stranger wrote into a mail, made harmless for a terminal.

const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const printable = (text: string): string => text.replace(CONTROL, "\ufffd");

/** At most `width` characters; what is cut off is replaced by "…". */
export function fit(text: string, width: number): string {
  const characters = [...printable(text)];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : characters.join("");
}
