// Imitates clients that force dark mode. "full" inverts all backgrounds and text, like Outlook;
// "partial" only light backgrounds and dark text, like Gmail on Android. A dark mail stays as it is.
import type { DarkKind } from "../state/settings.ts";

/** Changing more elements would block the page. */
const MOST_ELEMENTS = 20_000;
const PAPER = "rgb(255 255 255)";

export function darken(frame: HTMLIFrameElement, kind: Exclude<DarkKind, "own">): void {
  const view = frame.contentWindow;
  const body = frame.contentDocument?.body;
  if (!view || !body) return;
  const backgroundOf = (element: Element) => view.getComputedStyle(element).backgroundColor;
  const base = [body, body.ownerDocument.documentElement].map(backgroundOf).find(isOpaque) ?? PAPER;
  if (lightness(base) < 0.5) return;
  const elements = [body, ...body.querySelectorAll<HTMLElement>("*")].slice(0, MOST_ELEMENTS);
  // All elements are read before any is changed, because colours are inherited.
  const changes = elements.map((element) => inverted(view.getComputedStyle(element), kind));
  for (const [index, element] of elements.entries()) {
    for (const [property, value] of changes[index] ?? [])
      element.style.setProperty(property, value, "important");
  }
  if (!isOpaque(backgroundOf(body))) body.style.setProperty("background-color", invert(base), "important");
  body.ownerDocument.documentElement.style.setProperty("background-color", invert(base), "important");
}

function inverted(style: CSSStyleDeclaration, kind: "full" | "partial"): [string, string][] {
  const changed: [string, string][] = [];
  const { backgroundColor, color } = style;
  if (isOpaque(backgroundColor) && (kind === "full" || lightness(backgroundColor) > 0.5)) {
    changed.push(["background-color", invert(backgroundColor)]);
  }
  if (kind === "full" || lightness(color) < 0.5) changed.push(["color", invert(color)]);
  for (const side of ["top", "right", "bottom", "left"]) {
    const border = style.getPropertyValue(`border-${side}-color`);
    const isDrawn = style.getPropertyValue(`border-${side}-width`) !== "0px";
    if (isDrawn && lightness(border) > 0.5) changed.push([`border-${side}-color`, invert(border)]);
  }
  return changed;
}

const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);

const isOpaque = (colour: string) => (channels(colour)[3] ?? 1) > 0.1;

/** From 0 to 1, as eyes see it: the blue of links counts as dark. */
function lightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour);
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

/** White becomes a dark grey, because no client shows pure black. */
function invert(colour: string): string {
  const [red = 0, green = 0, blue = 0, alpha = 1] = channels(colour);
  const shift = 255 * (1 - 2 * lightness(colour));
  const shifted = [red, green, blue].map((channel) => Math.min(255, Math.max(0, channel + shift)));
  const lifted = shifted.map((channel) => Math.round(18 + (channel * 237) / 255));
  return `rgb(${lifted.join(" ")} / ${alpha})`;
}
