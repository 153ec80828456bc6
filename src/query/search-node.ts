// What a search asks for, as a tree of conditions.
import type { Phrase } from "./search-words.ts";

/** Where a text is looked for; a header is named beside it. */
export const TEXT_FIELDS = [
  "from",
  "to",
  "cc",
  "bcc",
  "reply-to",
  "subject",
  "body",
  "filename",
  "message-id",
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export interface TextTerm {
  readonly kind: "text";
  /** Without one it is looked for everywhere. */
  readonly field?: TextField | { readonly header: string } | undefined;
  /** Without words: the header is there. */
  readonly phrase: Phrase;
  readonly isNegated: boolean;
}

/** What is known of a message without its text. `after` includes the instant itself. */
export type Fact =
  | { readonly fact: "tag"; readonly tag: string }
  | { readonly fact: "tagged" }
  | { readonly fact: "read" | "starred" | "attachment"; readonly is: boolean }
  | { readonly fact: "before" | "after"; readonly time: number }
  | { readonly fact: "larger" | "smaller"; readonly bytes: number };

export interface FactTerm {
  readonly kind: "fact";
  readonly fact: Fact;
  readonly isNegated: boolean;
}

export interface Group {
  readonly kind: "all" | "any";
  readonly of: readonly SearchNode[];
}

/** Only terms are negated. Negated groups are rewritten (see nodeOf). */
export type SearchNode = TextTerm | FactTerm | Group;

export function wordsIn(node: SearchNode): number {
  if (node.kind === "fact") return 1;
  if (node.kind === "text") return Math.max(1, node.phrase.words.length);
  return node.of.reduce((sum, one) => sum + wordsIn(one), 0);
}

/** Removes repeated conditions. */
export function simplified(node: SearchNode): SearchNode {
  if (node.kind === "text" || node.kind === "fact") return node;
  const nodes = node.of.map(simplified);
  const all = [...new Map(nodes.map((one) => [JSON.stringify(one), one])).values()];
  const of = node.kind === "all" ? withoutImplied(all) : all;
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: node.kind, of };
}

/** Removes prefixes of other texts: a mail with "welcome" also has "wel". */
function withoutImplied(nodes: readonly SearchNode[]): SearchNode[] {
  const texts = nodes.filter(isFoundText).map((node) => ({ node, key: keyOf(node) }));
  const rest = nodes.filter((node) => !isFoundText(node));
  texts.sort((left, right) => compare(left.key, right.key) || order(left.node) - order(right.node));
  const needed = texts.filter(
    ({ node, key }, at) => node.phrase.isWhole || !texts[at + 1]?.key.startsWith(key),
  );
  return [...needed.map(({ node }) => node), ...rest];
}

const isFoundText = (node: SearchNode): node is TextTerm => node.kind === "text" && !node.isNegated;
const keyOf = ({ field, phrase }: TextTerm): string =>
  `${JSON.stringify(field ?? "")} ${phrase.words.join(" ")}`;
const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
const order = ({ phrase }: TextTerm): number => Number(phrase.isWhole);
