// Colours as CSS and HTML write them, and how much two of them differ (WCAG 2.2, relative luminance and contrast ratio).

export type Rgb = readonly [red: number, green: number, blue: number];

export const WHITE: Rgb = [255, 255, 255];
/** No colour is longer. Deeply nested functions would take long. */
const MAX_CHARS = 100;

/** The colour as seen on top of `behind`. Null if it is not a single colour, or an unknown background shows through. */
export function readColor(written: string, behind: Rgb | null): Rgb | null {
  // HTML accepts six digits without the #.
  const text = written.trim().replace(/^(?=[\da-f]{6}$)/i, "#");
  const read: unknown = text.length > MAX_CHARS ? null : Bun.color(text, "[rgba]");
  if (!Array.isArray(read)) return null;
  const [red, green, blue, alpha] = read as [number, number, number, number];
  if (alpha === 255) return [red, green, blue];
  if (behind === null) return null;
  const mix = (front: number, back: number) => back + ((front - back) * alpha) / 255;
  return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2])];
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
