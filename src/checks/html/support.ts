// Which mail clients support the HTML and CSS of a mail, according to caniemail.com.
import { counted } from "../../lib/text.ts";
import type { Check, CheckFinding } from "../../model/index.ts";
import { concluded, off } from "../finding.ts";
import type { CheckInput } from "../mail.ts";
import { CLIENTS, clientsNamed, namesOf } from "./clients.ts";
import { type Css, type Declaration, urlsIn } from "./css.ts";
import { type Page, type PageElement, readPage } from "./page.ts";
import data from "./support-data.json" with { type: "json" };

const FEATURES = new Map(
  Object.entries(data.features).map(([slug, [title = "", support = ""]]) => [slug, { title, support }]),
);

/** A mail still looks right in clients that do not support these features. */
const ENHANCEMENTS =
  /^(?:html-(?:body|aria-.*|role|lang|comments|loading-attribute|srcset|meta-color-scheme|target)|css-(?:pseudo-class-.*|at-media-prefers-.*|at-media-hover|comments|color-scheme|cursor|transition|animation|at-(?:keyframes|font-face)|important|user-select|text-(?:shadow|decoration-.*|underline-.*)|box-shadow|border-radius|outline.*))$/;

export function checkHtml({ mail, clients: words }: Pick<CheckInput, "mail" | "clients">): Check {
  if (mail.html === "") return off("html", "The mail has no HTML.");
  const clients = clientsNamed(words);
  const page = readPage(mail.html);
  const findings: CheckFinding[] = [];
  let [points, most] = [0, 0];
  for (const [slug, use] of usesOf(page)) {
    const { title, support } = FEATURES.get(slug) as { title: string; support: string };
    const by = (letter: string) => clients.filter((client) => support[CLIENTS.indexOf(client)] === letter);
    const [without, partly, full] = [by("n"), by("a"), by("y")];
    points += full.length + partly.length / 2;
    most += full.length + partly.length + without.length;
    if (without.length + partly.length > 0)
      findings.push(findingOf(slug, title, use, page, { without, partly, of: clients.length }));
  }
  const order = { error: 0, warning: 1, info: 2 };
  findings.sort((left, right) => order[left.severity] - order[right.severity]);
  return concluded("html", findings, {
    said: `Support in ${counted(clients.length, "client")} according to caniemail.com, ${data.date}`,
    score: most === 0 ? 100 : Math.round((100 * points) / most),
  });
}

function findingOf(
  slug: string,
  title: string,
  use: Use,
  page: Page,
  { without, partly, of }: Readonly<{ without: readonly string[]; partly: readonly string[]; of: number }>,
): CheckFinding {
  const isHarmless = ENHANCEMENTS.test(slug) || without.length === 0;
  const severity = isHarmless ? "info" : without.length * 2 >= of ? "error" : "warning";
  const told = [
    without.length > 0 &&
      `not supported by ${without.length} of ${counted(of, "client")} (${namesOf(without).join(", ")})`,
    partly.length > 0 && `supported in part by ${partly.length} (${namesOf(partly).join(", ")})`,
  ].filter((part) => part !== false);
  const times = use.count > 1 ? `, used ${use.count} times,` : "";
  return {
    rule: slug,
    severity,
    message: `${title}${times} is ${told.join(", ")}.`,
    help: `What works instead: https://www.caniemail.com/features/${slug}/`,
    where: page.place(use.offset),
    clients: namesOf(without),
  };
}

interface Use {
  /** The first use found. Elements are searched before style sheets. */
  readonly offset: number;
  count: number;
}

/** The keys are the slugs of caniemail.com, such as `css-border`. */
type Uses = ReadonlyMap<string, Use>;

const alike = (slug: string, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, slug]));

const ELEMENTS: Readonly<Record<string, string>> = {
  ...alike("html-h1-h6", "h1 h2 h3 h4 h5 h6"),
  ...alike("html-lists", "ul ol dl"),
  ...alike(
    "html-semantics",
    "article aside details figcaption figure footer header main mark nav section summary time",
  ),
  map: "html-image-maps",
};
const ATTRIBUTES = new Set(
  "align aria-describedby aria-hidden aria-label aria-labelledby aria-live background cellpadding cellspacing dir height hidden lang popover required role target valign width".split(
    " ",
  ),
);
const OTHER_ATTRIBUTES: Readonly<Record<string, string>> = {
  srcset: "html-srcset",
  loading: "html-loading-attribute",
  inert: "css-inert-attribute",
};

const PROPERTIES: Readonly<Record<string, string>> = {
  ...alike("css-gap", "row-gap column-gap"),
  ...alike("css-left-right-top-bottom", "left right top bottom"),
  ...alike("css-margin-block-start-end", "margin-block-start margin-block-end"),
  ...alike("css-margin-inline-start-end", "margin-inline-start margin-inline-end"),
  ...alike("css-margin-inline-block", "margin-block margin-inline"),
  ...alike("css-padding-block-start-end", "padding-block-start padding-block-end"),
  ...alike("css-padding-inline-start-end", "padding-inline-start padding-inline-end"),
  ...alike("css-padding-inline-block", "padding-block padding-inline"),
  ...alike("css-border-radius", "border-top-left-radius border-top-right-radius"),
  ...alike("css-border-radius", "border-bottom-left-radius border-bottom-right-radius"),
  ...alike("css-border-inline-block", "border-block border-inline"),
  ...alike("css-column-layout-properties", "column-width column-rule columns"),
  "block-size": "css-block-inline-size",
};
/** A property whose name only begins like one of these does not use the feature: `font-style` is not `css-font`. */
const WHOLE_NAMES = new Set(["css-font", "css-display", "css-position", "css-width", "css-height"]);
/** Values that caniemail.com lists as features of their own. */
const VALUES: readonly (readonly [property: string, value: RegExp, slug: string])[] = [
  ["display", /^(?:inline-)?flex/, "css-display-flex"],
  ["display", /^(?:inline-)?grid/, "css-display-grid"],
  ["display", /^none/, "css-display-none"],
];
const IN_VALUES: readonly (readonly [value: RegExp, slug: string])[] = [
  [/!\s*important/i, "css-important"],
  [/\bvar\(/i, "css-variables"],
  [/\bcalc\(/i, "css-unit-calc"],
  [/\b(?:ok)?(?:lch|lab)\(/i, "css-modern-color"],
  [/\brgb\(/i, "css-rgb"],
  [/\brgba\(/i, "css-rgba"],
  [/\b(?:fit|min|max)-content\b/i, "css-intrinsic-size"],
  [/\bsystem-ui\b/i, "css-sytem-ui"],
  [/^initial\b/i, "css-unit-initial"],
];
const FUNCTION = /(?<![\w-])(clamp|light-dark|max|min|(?:linear|radial|conic)-gradient)\(/gi;
const UNIT = /(?<![\w#-])\d*\.?\d(ch|cm|em|ex|in|mm|pc|pt|px|rem|vh|vmax|vmin|vw|%)/gi;

/** Matches addresses of web fonts. Clients that do not load them show another font, as without `@font-face`. */
const WEB_FONTS = /\bfonts?\b|typekit/i;

const PSEUDO_ELEMENTS = /^(?:after|before|first-letter|first-line|marker|placeholder)$/;
const COMBINATORS: readonly (readonly [RegExp, string])[] = [
  [/\.[\w-]/, "class"],
  [/#[\w-]/, "id"],
  [/\[/, "attribute"],
  [/>/, "child"],
  [/\+/, "adjacent-sibling"],
  [/~(?!=)/, "general-sibling"],
  [/,/, "grouping"],
  [/\*(?!=)/, "universal"],
  [/[\w\])]\s+[\w.#[*:]/, "descendant"],
  [/[\w-][.#][\w-]+\.[\w-]|\.[\w-]+\./, "chaining"],
];
const MEDIA: readonly (readonly [RegExp, string])[] = [
  [/prefers-color-scheme/i, "prefers-color-scheme"],
  [/prefers-reduced-motion/i, "prefers-reduced-motion"],
  [/\borientation\b/i, "orientation"],
  [/\bhover\b/i, "hover"],
  [/device-pixel-ratio/i, "device-pixel-ratio"],
];
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  tif: "tiff",
  heic: "heif",
  "svg+xml": "svg",
  "x-icon": "ico",
};

export function usesOf(page: Page): Uses {
  const uses = new Map<string, Use>();
  const use = (slug: string | null | undefined, offset: number) => {
    if (!slug || !FEATURES.has(slug)) return;
    const known = uses.get(slug);
    if (known) known.count++;
    else uses.set(slug, { offset, count: 1 });
  };
  const useImage = (url: string, offset: number) => {
    const [, embedded] = /^data:image\/([\w+.-]+)/i.exec(url) ?? [];
    if (embedded) use("image-base64", offset);
    const [, ending = embedded] = /\.([a-z\d]{2,5})$/i.exec(url.split(/[?#]/, 1)[0]?.slice(-10) ?? "") ?? [];
    const type = ending?.toLowerCase() ?? "";
    if (type !== "") use(`image-${IMAGE_TYPES[type] ?? type}`, offset);
  };
  const useDeclaration = ({ property, value, offset }: Declaration) => {
    use(propertySlug(property), offset);
    const text = value.toLowerCase();
    for (const [name, pattern, slug] of VALUES)
      if (name === property && pattern.test(text)) use(slug, offset);
    if (property === "flex-direction" && text.startsWith("column")) use("css-flex-direction", offset);
    const slugs = new Set(IN_VALUES.filter(([pattern]) => pattern.test(text)).map(([, slug]) => slug));
    for (const [, name = ""] of text.matchAll(FUNCTION))
      slugs.add(name.endsWith("gradient") ? `css-${name}` : `css-function-${name}`);
    for (const [, unit = ""] of text.matchAll(UNIT)) slugs.add(`css-unit-${unit === "%" ? "percent" : unit}`);
    for (const slug of slugs) use(slug, offset);
    for (const url of urlsIn(value)) useImage(url, offset);
  };
  const useSheet = (css: Css) => {
    for (const declaration of css.declarations) useDeclaration(declaration);
    for (const { text, offset } of css.selectors) for (const slug of selectorSlugs(text)) use(slug, offset);
    for (const { text, offset } of css.atRules) {
      const [name = ""] = /^[\w-]+/.exec(text.toLowerCase()) ?? [];
      const isOfFonts = name === "import" && WEB_FONTS.test(text);
      use(isOfFonts ? "css-at-font-face" : `css-at-${name.replace(/^-\w+-/, "")}`, offset);
      if (name !== "media") continue;
      for (const [pattern, feature] of MEDIA) if (pattern.test(text)) use(`css-at-media-${feature}`, offset);
    }
    for (const offset of css.comments) use("css-comments", offset);
    for (const offset of css.nestings) use("css-nesting", offset);
  };

  for (const element of page.elements) {
    for (const slug of elementSlugs(element)) use(slug, element.offset);
    const { src, background } = element.attributes;
    for (const declaration of element.style) useDeclaration(declaration);
    if (src !== undefined && element.name === "img") useImage(src, element.offset);
    if (background !== undefined) useImage(background, element.offset);
  }
  for (const sheet of page.sheets) useSheet(sheet);
  if (page.comment !== null) use("html-comments", page.comment);
  return uses;
}

function elementSlugs({ name, attributes }: PageElement): string[] {
  const isOfFonts = name === "link" && WEB_FONTS.test(attributes.href ?? "");
  const slugs = [isOfFonts ? "css-at-font-face" : (ELEMENTS[name] ?? `html-${name}`)];
  const type = attributes.type?.toLowerCase() ?? "";
  if (name === "button") slugs.push(`html-button-${type || "submit"}`);
  if (name === "input") slugs.push(`html-input-${type || "text"}`);
  if (name === "meta" && attributes.name === "color-scheme") slugs.push("html-meta-color-scheme");
  if (name === "a" && attributes.href?.startsWith("#")) slugs.push("html-anchor-links");
  if (name === "a" && /^mailto:/i.test(attributes.href ?? "")) slugs.push("html-mailto-links");
  for (const attribute of Object.keys(attributes)) {
    if (ATTRIBUTES.has(attribute)) slugs.push(`html-${attribute}`);
    else if (Object.hasOwn(OTHER_ATTRIBUTES, attribute)) slugs.push(OTHER_ATTRIBUTES[attribute] as string);
  }
  return slugs;
}

/** The feature of the property or of its shorthand (`border-top-color` uses `css-border`), or null. */
function propertySlug(property: string): string | null {
  if (property.startsWith("--")) return "css-variables";
  // A property with a prefix is meant for certain clients, so no client is blamed for ignoring it.
  if (property.startsWith("-") || property.startsWith("mso-")) return null;
  if (Object.hasOwn(PROPERTIES, property)) return PROPERTIES[property] ?? null;
  if (property === "flex-direction") return null;
  if (FEATURES.has(`css-${property}`)) return `css-${property}`;
  for (let end = property.lastIndexOf("-"); end > 0; end = property.lastIndexOf("-", end - 1)) {
    const slug = `css-${property.slice(0, end)}`;
    if (FEATURES.has(slug)) return WHOLE_NAMES.has(slug) ? null : slug;
  }
  return null;
}

function selectorSlugs(selector: string): string[] {
  const bare = selector.replace(/\[[^\]]*\]?/g, "[]").slice(0, 2000);
  const slugs = COMBINATORS.filter(([pattern]) => pattern.test(bare)).map(
    ([, kind]) => `css-selector-${kind}`,
  );
  if (/(?:^|[\s,>+~])[a-z]/i.test(bare)) slugs.push("css-selector-type");
  for (const [, name = ""] of bare.toLowerCase().matchAll(/::?([a-z-]+)/g))
    slugs.push(`css-pseudo-${PSEUDO_ELEMENTS.test(name) ? "element" : "class"}-${name}`);
  return slugs;
}
