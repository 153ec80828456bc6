// From what a person types to FTS5 expressions. Words match as prefixes, quoted text as a phrase, all must
// match. Everything is passed as a quoted string, so nothing typed is ever read as syntax.
import { phrasesOf } from "../../lib/search-words.ts";
import type { Match } from "./protocol.ts";

/** A longer query matches nothing: 100 words that are in each of 100,000 mails would take a second. */
const MAX_TOKENS = 50;

/** Null when there is nothing, or far too much, to search for: such a query matches nothing. */
export function matchExpressions(q: string): Match | null {
  const phrases = new Set<string>();
  const beginnings = new Set<string>();
  for (const { words, isWhole } of phrasesOf(q)) (isWhole ? phrases : beginnings).add(words.join(" "));
  const needed = withoutImplied(phrases, beginnings);
  const tokens = needed.reduce((sum, text) => sum + text.split(" ").length, 0);
  if (tokens === 0 || tokens > MAX_TOKENS) return null;
  return needed.map((text) => (phrases.has(text) ? `"${text}"` : `"${text}" *`));
}

/** Each text once, and no beginning of another: where "welcome" is found, "wel" is. */
function withoutImplied(phrases: ReadonlySet<string>, beginnings: ReadonlySet<string>): string[] {
  const texts = [...new Set([...phrases, ...beginnings])].sort();
  return texts.filter((text, at) => phrases.has(text) || !texts[at + 1]?.startsWith(text));
}
