// Colours as CSS and HTML write them, and how much two of them differ (WCAG 2.2, relative luminance and contrast ratio).

export type Rgb = readonly [red: number, green: number, blue: number];

/** Those that mails use; the contrast of others is not judged. */
const NAMED: Readonly<Record<string, string>> = {
  black: "000000",
  gray: "808080",
  grey: "808080",
  lightgray: "d3d3d3",
  lightgrey: "d3d3d3",
  darkgray: "a9a9a9",
  darkgrey: "a9a9a9",
  white: "ffffff",
  red: "ff0000",
  green: "008000",
  yellow: "ffff00",
  orange: "ffa500",
  navy: "000080",
  blue: "0000ff",
};

const fromHex = (hex: string): Rgb =>
  [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;

/** Null of what is not one opaque colour. */
export function readColor(written: string | null): Rgb | null {
  const text = written?.trim().toLowerCase() ?? "";
  const [, short] = /^#([\da-f]{3})$/.exec(text) ?? [];
  if (short) return fromHex(short.replace(/./g, "$&$&"));
  const [, long] = /^#?([\da-f]{6})(?:ff)?$/.exec(text) ?? [];
  if (long) return fromHex(long);
  const channels = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0+)?\s*)?\)$/.exec(
    text,
  );
  if (channels) return channels.slice(1, 4).map(Number) as unknown as Rgb;
  return Object.hasOwn(NAMED, text) ? fromHex(NAMED[text] as string) : null;
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1, no difference, to 21. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}
