// Checks whether everybody can read the mail: language, alt texts, headings, links, tables, contrast, font sizes.
import { counted } from "../lib/text.ts";
import type { Check } from "../model/index.ts";
import { concluded, Findings, off, quoted } from "./finding.ts";
import { type Cascade, cascadeOf } from "./html/cascade.ts";
import { type Page, type PageElement, readPage } from "./html/page.ts";
import type { CheckInput } from "./mail.ts";

/** The least contrast of text and of large text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;
const MIN_LARGE_CONTRAST = 3;
const LARGE_PX = 24;
const LARGE_BOLD_PX = 18.66;
const MIN_FONT_PX = 12;
const DEFAULT_FONT_PX = 16;

const RULES = {
  error: {
    "image-alt": 'Say in alt what the image shows, or write alt="" where it is decoration.',
    "link-text-missing": "Write text into the link, or an alt text for its image.",
  },
  warning: {
    "lang-missing": 'Write the language into the first element: <html lang="en">.',
    "heading-order": "Let headings go down one level at a time.",
    "heading-empty": "Write text into the heading, or remove it.",
    "table-role":
      'Write role="presentation" into tables that only arrange; give tables with data a row of th.',
    contrast: "Choose colours that differ more (WCAG 2.2, 1.4.3).",
    "font-size": `Use at least ${MIN_FONT_PX} px.`,
  },
  info: {
    "link-text-vague": "Say where the link leads: screen readers list links without the words around them.",
  },
};

type Found = Findings<typeof RULES>;

const VAGUE =
  /^(?:click(?: here)?|here|(?:read|learn|see) more|more|link|this(?: link)?|details|hier(?: klicken)?|mehr(?: erfahren)?|klicken sie hier|weiterlesen|ici|cliquez ici|en savoir plus|aqu[ií]|haz clic aqu[ií]|m[áa]s|clicca qui|qui|clique aqui)[.!…»›>→\s]*$/i;

export function checkAccessibility({ mail }: Pick<CheckInput, "mail">): Check {
  if (mail.html === "") return off("accessibility", "The mail has no HTML.");
  const page = readPage(mail.html);
  const found = new Findings(RULES);
  checkLanguage(page, found);
  checkElements(page, found);
  checkTables(page, found);
  checkLooks(page, found);
  return concluded("accessibility", found.list);
}

function checkLanguage({ elements, texts }: Page, found: Found): void {
  const hasLanguage = elements.some(({ attributes: { lang } }) => lang !== undefined && lang.trim() !== "");
  if (!hasLanguage && texts.some(({ text }) => text.trim() !== ""))
    found.add("lang-missing", "The HTML does not say which language it is in.");
}

const isDecoration = ({ role, "aria-hidden": hidden }: PageElement["attributes"]) =>
  /^(?:presentation|none)$/i.test(role ?? "") || hidden === "true";

function checkElements({ elements, place }: Page, found: Found): void {
  let level = 0;
  for (const { name, attributes, offset, text } of elements) {
    const where = () => place(offset);
    if (
      name === "img" &&
      (attributes.alt ?? attributes["aria-label"]) === undefined &&
      !isDecoration(attributes)
    )
      found.add("image-alt", `An image has no alt text: ${quoted(attributes.src ?? "")}.`, where());
    if (name === "a" && attributes.href !== undefined) {
      const said = (text.trim() || attributes["aria-label"] || attributes.title || "").replace(/\s+/g, " ");
      if (said === "")
        found.add("link-text-missing", `A link has no text: ${quoted(attributes.href)}.`, where());
      else if (VAGUE.test(said)) found.add("link-text-vague", `A link only says ${quoted(said)}.`, where());
    }
    const [, digit] = /^h([1-6])$/.exec(name) ?? [];
    if (digit === undefined) continue;
    if (text.trim() === "") found.add("heading-empty", `An ${name} has no text.`, where());
    if (level > 0 && Number(digit) > level + 1)
      found.add("heading-order", `An h${digit} follows an h${level}.`, where());
    level = Number(digit);
  }
}

function checkTables({ elements, place }: Page, found: Found): void {
  const data = new Set<PageElement>();
  for (const element of elements) {
    if (element.name !== "th" && element.name !== "caption") continue;
    let table = element.parent;
    while (table && table.name !== "table") table = table.parent;
    if (table) data.add(table);
  }
  const untold = elements.filter(
    (table) =>
      table.name === "table" &&
      !data.has(table) &&
      !/^(?:presentation|none|table|grid)$/i.test(table.attributes.role ?? ""),
  );
  if (untold[0])
    found.add(
      "table-role",
      `${counted(untold.length, "table")} without a role or th: screen readers expect data there.`,
      place(untold[0].offset),
    );
}

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
/** Real colours are shorter, and parsing deeply nested functions would take long. */
const MAX_COLOR_CHARS = 100;

/**
 * How the colour looks over `behind`. Null if `written` is not one colour, or if the colour is
 * translucent and `behind` is not known.
 */
function readColor(written: string, behind: Rgb | null): Rgb | null {
  // HTML accepts six digits without the #.
  const text = written.trim().replace(/^(?=[\da-f]{6}$)/i, "#");
  const read: unknown = text.length > MAX_COLOR_CHARS ? null : Bun.color(text, "[rgba]");
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

/** From 1 (no difference) to 21. */
function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

interface Look {
  readonly color: string | null;
  /** Null if it is not known. */
  readonly background: Rgb | null;
  readonly fontPx: number;
  readonly isBold: boolean;
  readonly isHidden: boolean;
}

const PLAIN: Look = {
  color: null,
  background: WHITE,
  fontPx: DEFAULT_FONT_PX,
  isBold: false,
  isHidden: false,
};

function lookOf(element: PageElement, parent: Look, cascade: Cascade): Look {
  const { name, attributes } = element;
  const style = cascade.styleOf(element);
  const color = style.get("color") ?? attributes.color ?? (name === "a" ? null : "inherit");
  const weight = style.get("font-weight") ?? (/^(?:b|strong|h[1-6]|th)$/.test(name) ? "bold" : null);
  return {
    color: color === "inherit" ? parent.color : color,
    background: backgroundOf(attributes, style, parent.background),
    fontPx: fontSize(style.get("font-size") ?? ELEMENT_SIZES[name], parent.fontPx),
    isBold: weight === null ? parent.isBold : /^bold/.test(weight) || Number(weight) >= 700,
    isHidden:
      parent.isHidden ||
      style.get("display") === "none" ||
      style.get("visibility") === "hidden" ||
      style.get("mso-hide") === "all" ||
      Number.parseFloat(style.get("opacity") ?? "1") === 0 ||
      /^0(?:px)?$/.test(style.get("max-height") ?? ""),
  };
}

function backgroundOf(
  { background: image, bgcolor }: PageElement["attributes"],
  style: ReturnType<Cascade["styleOf"]>,
  behind: Rgb | null,
): Rgb | null {
  const color = style.get("background-color") ?? bgcolor;
  if (color === undefined) return image === undefined && !style.has("background-image") ? behind : null;
  return /^(?:none|inherit|initial|unset)$/.test(color) ? behind : readColor(color, behind);
}

const FONT_UNITS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, rem: DEFAULT_FONT_PX };
const FONT_SIZES: Readonly<Record<string, string>> = {
  "xx-small": "9px",
  "x-small": "10px",
  small: "13px",
  medium: "16px",
  large: "18px",
  "x-large": "24px",
  "xx-large": "32px",
  "xxx-large": "48px",
  smaller: "83%",
  larger: "120%",
};
const ELEMENT_SIZES: Readonly<Record<string, string>> = {
  h1: "2em",
  h2: "1.5em",
  h3: "1.17em",
  h5: "0.83em",
  h6: "0.67em",
  small: "smaller",
};

function fontSize(named: string | undefined, inherited: number): number {
  const value = FONT_SIZES[named ?? ""] ?? (named === "0" ? "0px" : named);
  const [, amount, unit = ""] = /^(\d*\.?\d+)(px|pt|rem|em|%)$/.exec(value ?? "") ?? [];
  if (amount === undefined) return inherited;
  if (unit === "em") return Number(amount) * inherited;
  return unit === "%" ? (Number(amount) / 100) * inherited : Number(amount) * (FONT_UNITS[unit] ?? 1);
}

function checkLooks(page: Page, found: Found): void {
  const { elements, texts, place } = page;
  const cascade = cascadeOf(page);
  const looks = new Map<PageElement, Look>();
  const outermost = cascade.mayHaveBackground ? { ...PLAIN, background: null } : PLAIN;
  const of = (element: PageElement | null) => (element && looks.get(element)) ?? outermost;
  for (const element of elements) looks.set(element, lookOf(element, of(element.parent), cascade));
  const told = new Set<string>();
  for (const { text, offset, parent } of texts) {
    const { color, background, fontPx, isBold, isHidden } = of(parent);
    const words = text.trim();
    // Skips preheaders, which are hidden on purpose, often by a tiny font size.
    if (words === "" || isHidden || fontPx < 2 || !/[\p{L}\p{N}]/u.test(words)) continue;
    if (fontPx < MIN_FONT_PX && !told.has(`${fontPx}`)) {
      told.add(`${fontPx}`);
      found.add("font-size", `Text of ${Number(fontPx.toFixed(1))} px: ${quoted(words)}.`, place(offset));
    }
    const front = color === null ? null : readColor(color, background);
    if (!front || !background || told.has(`${color} on ${background}`)) continue;
    const ratio = contrastOf(front, background);
    const isLarge = fontPx >= LARGE_PX || (isBold && fontPx >= LARGE_BOLD_PX);
    const least = isLarge ? MIN_LARGE_CONTRAST : MIN_CONTRAST;
    if (ratio >= least) continue;
    told.add(`${color} on ${background}`);
    found.add(
      "contrast",
      `${color} on ${Bun.color([...background], "hex")} has a contrast of ${Math.floor(ratio * 10) / 10} to 1, less than ${least}: ${quoted(words)}.`,
      place(offset),
    );
  }
}
