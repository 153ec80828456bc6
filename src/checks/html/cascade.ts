// The style of an element, from its attribute and the style sheets. Skips rules in @media and other at-rules, and
// selectors with more than names, classes, ids, descendants and children: most of these rules are for a single client.
import type { Declaration } from "./css.ts";
import type { Page, PageElement } from "./page.ts";

type Style = ReadonlyMap<string, string>;

export interface Cascade {
  styleOf(element: PageElement): Style;
  /** Whether a rule with a skipped selector sets a background. If so, backgrounds are unknown. */
  readonly mayHaveBackground: boolean;
}

interface Compound {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
}

interface Rule {
  /** From the element to its ancestors. */
  readonly steps: readonly { readonly compound: Compound; readonly isParent: boolean }[];
  readonly declarations: Declaration[];
  readonly weight: number;
}

const COMPOUND = /^([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)$/i;

function readSelector(selector: string): Pick<Rule, "steps" | "weight"> | null {
  const steps: { compound: Compound; isParent: boolean }[] = [];
  let weight = 0;
  let isParent = false;
  for (const word of selector.replaceAll(">", " > ").trim().split(/\s+/).reverse()) {
    if (word === ">") {
      isParent = true;
      continue;
    }
    const [found, name, rest = ""] = COMPOUND.exec(word) ?? [];
    if (!found) return null;
    const parts = rest.match(/[.#][\w-]+/g) ?? [];
    const classes = parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1));
    const id = parts.find((part) => part.startsWith("#"))?.slice(1);
    const isNamed = name !== undefined && name !== "*";
    steps.push({ compound: { name: isNamed ? name.toLowerCase() : undefined, id, classes }, isParent });
    weight += (id === undefined ? 0 : 10_000) + classes.length * 100 + (isNamed ? 1 : 0);
    isParent = false;
  }
  return { steps, weight };
}

function fits({ attributes, name }: PageElement, compound: Compound): boolean {
  if (compound.name !== undefined && compound.name !== name) return false;
  if (compound.id !== undefined && compound.id !== attributes.id) return false;
  const classes = attributes.class?.split(/\s+/) ?? [];
  return compound.classes.every((one) => classes.includes(one));
}

function matches(element: PageElement, [own, ...outer]: Rule["steps"]): boolean {
  if (!own || !fits(element, own.compound)) return false;
  let at = element.parent;
  for (const { compound, isParent } of outer) {
    while (at && !isParent && !fits(at, compound)) at = at.parent;
    if (!at || !fits(at, compound)) return false;
    at = at.parent;
  }
  return true;
}

/** The key for a lookup of rules: comparing each element with each rule would be slow. */
const keyOf = ({ id, classes: [first], name }: Compound) =>
  id !== undefined ? `#${id}` : first !== undefined ? `.${first}` : (name ?? "*");

const keysOf = ({ name, attributes }: PageElement) => [
  "*",
  name,
  `#${attributes.id}`,
  ...new Set(attributes.class?.split(/\s+/).map((one) => `.${one}`)),
];

export function cascadeOf({ sheets }: Page): Cascade {
  const rules: Rule[] = [];
  let mayHaveBackground = false;
  const declared = sheets.flatMap(({ declarations }) => declarations);
  for (const [selectors, declarations] of Map.groupBy(declared, ({ selector }) => selector)) {
    for (const selector of selectors?.split(",") ?? []) {
      const read = readSelector(selector);
      if (read) rules.push({ ...read, declarations });
      else mayHaveBackground ||= declarations.some(({ property }) => property.startsWith("background"));
    }
  }
  const byKey = Map.groupBy(rules, ({ steps: [own] }) => (own ? keyOf(own.compound) : ""));
  return {
    mayHaveBackground,
    styleOf(element) {
      const fromSheets = keysOf(element)
        .flatMap((key) => byKey.get(key) ?? [])
        .filter(({ steps }) => matches(element, steps))
        .flatMap(({ weight, declarations }) => declarations.map((one) => ({ ...one, weight })))
        .sort((left, right) => left.weight - right.weight || left.offset - right.offset);
      const all = [...fromSheets, ...element.style];
      const isImportant = ({ value }: Declaration) => /!\s*important$/i.test(value);
      const inOrder = [...all.filter((one) => !isImportant(one)), ...all.filter(isImportant)];
      return new Map(
        inOrder.flatMap(({ property, value }) =>
          longhands(property, value.replace(/\s*!\s*important$/i, "").toLowerCase()),
        ),
      );
    },
  };
}

const FONT_SIZE = /(?:^|\s)(\d*\.?\d+[a-z%]+|(?:x{1,3}-)?(?:small|large)|medium|smaller|larger)(?=[\s/])/;

/** Reads `background` as `background-color`, and takes size and weight out of `font`. */
function longhands(property: string, value: string): [property: string, value: string][] {
  if (property === "background") return [["background-color", value]];
  const size = property === "font" ? FONT_SIZE.exec(value) : null;
  if (!size?.[1]) return [[property, value]];
  const [weight = "normal"] = /\b(?:bold|bolder|[1-9]00)\b/.exec(value.slice(0, size.index)) ?? [];
  return [
    ["font-size", size[1]],
    ["font-weight", weight],
  ];
}
