// Reads CSS into flat lists: declarations, selectors, at-rules, comments and nested rules, each
// with its offset. Other text is skipped.

export interface Declaration {
  readonly property: string;
  readonly value: string;
  /** The selector of its rule; null in a style attribute, an at-rule or a nested rule. */
  readonly selector: string | null;
  readonly offset: number;
}

interface Prelude {
  readonly text: string;
  readonly offset: number;
}

export interface Css {
  readonly declarations: readonly Declaration[];
  readonly selectors: readonly Prelude[];
  /** Without the `@`: `media (prefers-color-scheme: dark)`. */
  readonly atRules: readonly Prelude[];
  readonly comments: readonly number[];
  /** The offsets of rules within a rule. */
  readonly nestings: readonly number[];
}

/** Braces and semicolons, and what may contain them: comments, strings and URLs. */
const TOKEN = /\/\*.*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|url\([^)]*\)?|[{};]/gis;
const DECLARATION = /^\s*(-{0,2}[a-z][\w-]*)\s*:(.*)$/is;

/** `base` is added to all offsets. `isInline`: the CSS is that of a `style` attribute. */
export function readCss(css: string, base = 0, isInline = false): Css {
  const found = {
    declarations: [] as Declaration[],
    selectors: [] as Prelude[],
    atRules: [] as Prelude[],
    comments: [] as number[],
    nestings: [] as number[],
  };
  const blocks: ("rule" | "at" | "frames")[] = isInline ? ["rule"] : [];
  let selector = "";
  let start = 0;
  let text = "";
  let from = 0;
  const prelude = (end: number) => {
    text += css.slice(from, end);
    const offset = base + start + (text.length - text.trimStart().length);
    const taken = { text: text.trim(), offset };
    text = "";
    return taken;
  };
  const begin = ({ text: head, offset }: Prelude) => {
    if (head.startsWith("@")) {
      found.atRules.push({ text: head.slice(1), offset });
      blocks.push(/^@[\w-]*keyframes/i.test(head) ? "frames" : "at");
      return;
    }
    if (blocks.includes("rule")) found.nestings.push(offset);
    if (blocks.at(-1) !== "frames") found.selectors.push({ text: head, offset });
    if (blocks.length === 0) selector = head;
    blocks.push("rule");
  };
  const end = ({ text: said, offset }: Prelude) => {
    const [, property = "", value = ""] = blocks.length > 0 ? (DECLARATION.exec(said) ?? []) : [];
    const isOfRule = !isInline && blocks.length === 1 && blocks[0] === "rule";
    if (property !== "")
      found.declarations.push({
        property: property.toLowerCase(),
        value: value.trim(),
        selector: isOfRule ? selector : null,
        offset,
      });
    else if (said.startsWith("@")) found.atRules.push({ text: said.slice(1), offset });
  };
  for (const { 0: token, index } of css.matchAll(TOKEN)) {
    if (token.startsWith("/*")) {
      found.comments.push(base + index);
      // Replaces the comment with blanks, so that the offsets after it stay the same.
      text += css.slice(from, index) + " ".repeat(token.length);
      from = index + token.length;
    }
    if (!/^[{};]$/.test(token)) continue;
    const taken = prelude(index);
    if (token === "{") begin(taken);
    else end(taken);
    if (token === "}") blocks.pop();
    start = index + 1;
    from = start;
  }
  end(prelude(css.length));
  return found;
}

/** The declarations of a `style` attribute. Their offset is the offset of the element. */
export const readStyle = (style: string, offset: number): Declaration[] =>
  readCss(style, 0, true).declarations.map((declaration) => ({ ...declaration, offset }));

export const urlsIn = (value: string): string[] =>
  Array.from(value.matchAll(/url\(\s*["']?([^"')]*)/gi), ([, url = ""]) => url.trim()).filter(
    (url) => url !== "",
  );
