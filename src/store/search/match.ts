// From what a person types to FTS5 expressions. Words match as prefixes, quoted text as a phrase, all must
// match. Everything is passed as a quoted string, so nothing typed is ever read as syntax.
import type { Match } from "./protocol.ts";
import { tokenizable } from "./tokens.ts";

const TERM = /"([^"]*)("?)|[^\s"]+/g;
/** What the tokenizer keeps: letters, digits, private use. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
/** What must not stand in a quoted string. Folding turns a full-width quote into a plain one. */
const UNSAFE = /[\x00-\x1f\x7f"]/g;

/** A phrase costs its length in every mail it could stand in; a longer query matches nothing. */
const MAX_TOKENS = 200;
const TOKEN = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/** Null when there is nothing, or far too much, to search for: such a query matches nothing. */
export function matchExpressions(q: string): Match | null {
  const terms = new Set<string>();
  let tokens = 0;
  for (const [word, quoted, closing] of q.matchAll(TERM)) {
    const text = tokenizable(quoted ?? word).replace(UNSAFE, " ");
    if (!SEARCHABLE.test(text)) continue;
    tokens += text.match(TOKEN)?.length ?? 0;
    if (tokens > MAX_TOKENS) return null;
    // What is several tokens (an address, Chinese) becomes a phrase; its last token may be unfinished.
    terms.add(closing === '"' ? `"${text}"` : `"${text}" *`);
  }
  return terms.size === 0 ? null : [...terms];
}
