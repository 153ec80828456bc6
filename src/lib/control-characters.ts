// Characters that a terminal acts on instead of showing them, and those that turn the direction of a line.

export const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes them: a terminal shows `\u000d` instead of returning to the start of the line. */
export const escapeControl = (text: string): string =>
  text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
