// A search as a tree of conditions.
import type { Phrase } from "./fold.ts";

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
  /** Without a field, all indexed text is searched except header fields added in transit. */
  readonly field?: TextField | { readonly header: string } | undefined;
  /** Without words the header only has to exist. */
  readonly phrase: Phrase;
  readonly isNegated: boolean;
}

/** A condition that needs no text of the message. `after` includes the instant itself. */
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

/** Only terms are negated. Negated groups are rewritten (`nodeOf` in search-query.ts). */
export type SearchNode = TextTerm | FactTerm | Group;

/** A key for each word and each condition. The same word in two fields has two keys. */
export function wordsIn(node: SearchNode): string[] {
  if (node.kind === "fact") return [JSON.stringify(node)];
  if (node.kind !== "text") return node.of.flatMap(wordsIn);
  const { words } = node.phrase;
  return (words.length > 0 ? words : [""]).map((word) => JSON.stringify([node.field, word]));
}

/** Removes repeated conditions. A group with only one condition becomes that condition. */
export function simplified(node: SearchNode): SearchNode {
  if (node.kind === "text" || node.kind === "fact") return node;
  const nodes = node.of.map(simplified);
  const of = [...new Map(nodes.map((one) => [JSON.stringify(one), one])).values()];
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: node.kind, of };
}
