// From what a person types to an FTS5 expression. Words match as prefixes, quoted text as a phrase, all must
// match. Everything is passed as a quoted string, so nothing typed is ever read as syntax.

const TERM = /"([^"]*)("?)|[^\s"]+/g;
/** What the tokenizer keeps: letters, digits, private use. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
const CONTROL = /[\x00-\x1f\x7f]/g;

/** Null when there is nothing to search for: such a query matches nothing. */
export function matchExpression(q: string): string | null {
  const terms = new Set<string>();
  for (const [word, quoted, closing] of q.matchAll(TERM)) {
    const text = (quoted ?? word).replace(CONTROL, " ");
    if (!SEARCHABLE.test(text)) continue;
    // A word with punctuation in it (an address) becomes a phrase; its last part may be unfinished.
    terms.add(closing === '"' ? `"${text}"` : `"${text}" *`);
  }
  return terms.size === 0 ? null : [...terms].join(" ");
}
