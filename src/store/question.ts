// Splits a filter into a part for the text index, a part for the rows, and groups that need both.
import type { MessageFilter } from "../model/index.ts";
import { type Fact, type Group, parseSearch, type SearchNode, simplified } from "../query/index.ts";
import type { RowFilter } from "./rows/filter-sql.ts";
import { isText, matchExpression, matchWithin } from "./search/match.ts";
import type { Scope } from "./store.ts";

/** A message must match all three parts. */
export interface Question {
  /** An FTS5 expression; null if there is no text outside of `mixed`. */
  readonly match: string | null;
  readonly filter: RowFilter;
  /** Groups in which texts and facts are mixed. */
  readonly mixed: readonly Group[];
}

/** Null if `q` is given but can match nothing: it is only symbols, or too large, or no inbox is in scope. */
export function questionOf(
  { q, ...asked }: MessageFilter,
  now: number,
  inboxes: Scope = null,
): Question | null {
  const filter: RowFilter = inboxes === null ? asked : { ...asked, inboxes };
  if (q === undefined || q.trim() === "") return { match: null, filter, mixed: [] };
  const { root } = parseSearch(q, now);
  if (root === null || inboxes?.length === 0) return null;
  return split(simplified(root), filter);
}

/** Splits a group into its texts, facts and mixed groups. The facts are added to `filter`. */
export function split(node: SearchNode, filter: RowFilter = {}): Question {
  const nodes = node.kind === "all" ? node.of : [node];
  const texts = nodes.filter(isText);
  const mixed = nodes.filter((one): one is Group => !isText(one) && !isFact(one));
  const found = texts.length === 0 ? null : matchExpression({ kind: "all", of: texts });
  const match = found !== null && filter.inboxes ? matchWithin(filter.inboxes, found) : found;
  return { match, filter: nodes.filter(isFact).reduce(withFact, filter), mixed };
}

/** Joins alternatives into one node for all texts and one node for all facts. Mixed groups stay as they are. */
export function joinAlternatives(nodes: readonly SearchNode[]): SearchNode[] {
  const [texts, facts] = [nodes.filter(isText), nodes.filter(isFact)];
  const mixed = nodes.filter((node) => !isText(node) && !isFact(node));
  return [
    ...[texts, facts].filter(({ length }) => length > 0).map((of) => ({ kind: "any", of }) as const),
    ...mixed,
  ];
}

const isFact = (node: SearchNode): boolean =>
  node.kind === "fact" || (node.kind !== "text" && node.of.every(isFact));

/** Adds a fact to the filter, as one of its fields if possible, because fields have indexes. */
function withFact(filter: RowFilter, node: SearchNode): RowFilter {
  const known = node.kind === "fact" && !node.isNegated ? filterBy(node.fact) : null;
  const isNew = known !== null && Object.keys(known).every((name) => !(name in filter));
  if (isNew) return { ...filter, ...known };
  const where: SearchNode = filter.where ? { kind: "all", of: [filter.where, node] } : node;
  return { ...filter, where };
}

function filterBy(fact: Fact): RowFilter | null {
  if (fact.fact === "tag") return { tags: [fact.tag] };
  if (fact.fact === "starred" && fact.is) return { starred: true };
  if (fact.fact === "read" && !fact.is) return { unread: true };
  if (fact.fact === "attachment" && fact.is) return { has_attachments: true };
  if (fact.fact === "after") return { since: { time: new Date(Math.max(0, fact.time - 1)) } };
  return null;
}
