// Turns a search into one FTS5 expression: words match as prefixes, quoted text as a phrase. All words in the
// expression are quoted, so nothing that a person types is read as FTS5 syntax. For `header:name=word` the
// index has tokens that are made of the field's name and one of its words.
import type { SearchNode, TextField, TextTerm } from "../../query/index.ts";

/** Folding replaces these letters in texts and searches. Only tokens made here begin with them. */
const BEFORE_NAME = "ª";
const BEFORE_WORD = "º";

/** The tokenizer would split a field name at these characters, so they are left out. */
const NOT_IN_NAMES = /[^a-z0-9]/g;

/** A token that every mail has, for searches that only exclude. */
export const EVERY_MAIL = BEFORE_NAME;

/** A token that every mail of an inbox has. */
export const inboxWord = (inbox: string): string => BEFORE_WORD + Buffer.from(inbox).toString("hex");

/** Takes a lower-case name. With an empty word it returns the token for the existence of the field. */
export const headerWord = (name: string, word: string): string =>
  `${BEFORE_NAME}${name.replace(NOT_IN_NAMES, "")}${BEFORE_WORD}${word}`;

const COLUMNS: Readonly<Record<TextField, string>> = {
  from: "sender",
  to: "recipients",
  cc: "cc",
  bcc: "bcc",
  "reply-to": "reply_to",
  subject: "subject",
  body: "body",
  filename: "filenames",
  "message-id": "message_id",
};

export const isText = (node: SearchNode): boolean =>
  node.kind === "text" || (node.kind !== "fact" && node.of.every(isText));

/** The node must contain no facts, such as is:unread: the text index does not know them. */
export function matchExpression(node: SearchNode): string {
  if (node.kind === "fact") throw new TypeError("a fact is not text");
  if (node.kind === "text") return node.isNegated ? except([node], []) : termExpression(node);
  if (node.kind === "any") return node.of.map(inBrackets).join(" OR ");
  const negated = node.of.filter((one): one is TextTerm => one.kind === "text" && one.isNegated);
  const found = node.of.filter((one) => one.kind !== "text" || !one.isNegated).map(inBrackets);
  return negated.length === 0 ? found.join(" AND ") : except(negated, found);
}

/** Limits an expression to the mail in these inboxes. */
export const matchWithin = (inboxes: readonly string[], match: string): string =>
  `{header_words} : (${inboxes.map((inbox) => `"${inboxWord(inbox)}"`).join(" OR ")}) AND (${match})`;

const inBrackets = (node: SearchNode): string =>
  node.kind === "text" && !node.isNegated ? termExpression(node) : `(${matchExpression(node)})`;

/** In FTS5, NOT needs a left side to subtract from. */
const except = (negated: readonly TextTerm[], found: readonly string[]): string =>
  `(${found.join(" AND ") || `"${EVERY_MAIL}"`}) NOT (${negated.map(termExpression).join(" OR ")})`;

function termExpression({ field, phrase: { words, isWhole } }: TextTerm): string {
  const end = isWhole ? "" : " *";
  if (typeof field !== "object") {
    const column = field === undefined ? "" : `{${COLUMNS[field]}} : `;
    return `${column}"${words.join(" ")}"${end}`;
  }
  if (words.length === 0) return `{header_words} : "${headerWord(field.header, "")}"`;
  return `{header_words} : "${words.map((word) => headerWord(field.header, word)).join(" ")}"${end}`;
}
