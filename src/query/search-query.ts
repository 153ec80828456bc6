// Reads a search as a person types it: words, quoted phrases, operators such as `from:ann`, `-`, OR and parentheses.
// There are no errors: an operator that is not understood is searched for as text, and a hint says so. The hint begins
// with a minus if the operator did: then the search may find too much, not too little.

import { parseSize } from "../lib/numbers.ts";
import { near } from "../lib/text.ts";
import { parseDuration } from "../lib/time.ts";
import { phraseOf } from "./fold.ts";
import {
  type Fact,
  type Group,
  type SearchNode,
  simplified,
  TEXT_FIELDS,
  type TextField,
  type TextTerm,
  wordsIn,
} from "./search-node.ts";
import { parseSince } from "./since.ts";

export interface SearchQuery {
  /** Null if there is nothing to search for, or the search is too large. */
  readonly root: SearchNode | null;
  /** A sentence in ASCII if an operator was not understood or the search is too large, otherwise null. */
  readonly hint: string | null;
}

/** A range of the text that was typed. */
export interface SearchPlace {
  readonly start: number;
  readonly end: number;
}

type Term = Pick<TextTerm, "field" | "phrase"> | Fact;
/** Returns null if the value cannot be read. */
type ReadValue = (value: string, isWhole: boolean, now: number) => Term | null;

const inField =
  (field: TextField): ReadValue =>
  (value, isWhole) => ({ field, phrase: phraseOf(value, isWhole) });

const isTextField = (name: string): name is TextField => (TEXT_FIELDS as readonly string[]).includes(name);

/** Header fields that are in every mail, or have their own operators. */
const NOT_SEARCHED = new Set("from to cc bcc reply-to subject message-id date mime-version".split(" "));

/** Whether a field is indexed for searches such as `header:x-run=42`. `name` is in lower case. */
export const isSearchedHeader = (name: string): boolean =>
  !NOT_SEARCHED.has(name) && !name.startsWith("content-");

const HEADER_NAME = /^[a-z0-9][a-z0-9!#$%&'*+.^_`|~-]*$/;

function readHeader(value: string, isWhole: boolean): Term | null {
  const equals = value.indexOf("=");
  const header = (equals < 0 ? value : value.slice(0, equals)).trim().toLowerCase();
  if (!HEADER_NAME.test(header)) return null;
  const phrase = phraseOf(equals < 0 ? "" : value.slice(equals + 1), isWhole);
  if (phrase.words.length > 0 && isTextField(header)) return { field: header, phrase };
  return isSearchedHeader(header) ? { field: { header }, phrase } : null;
}

const instant =
  (fact: "before" | "after"): ReadValue =>
  (value, _, now) => {
    const ago = parseDuration(value);
    if (ago !== null) return { fact, time: Math.max(0, now - ago) };
    const since = parseSince(value);
    return since !== null && "time" in since ? { fact, time: since.time.getTime() } : null;
  };

const size =
  (fact: "larger" | "smaller"): ReadValue =>
  (value) => {
    const bytes = parseSize(value);
    return bytes === null ? null : { fact, bytes };
  };

const FLAGS: ReadonlyMap<string, Fact> = new Map([
  ["unread", { fact: "read", is: false }],
  ["read", { fact: "read", is: true }],
  ["starred", { fact: "starred", is: true }],
  ["tagged", { fact: "tagged" }],
]);

const A_TEXT = "text, such as";
const OPERATORS: ReadonlyMap<string, { readonly read: ReadValue; readonly takes: string }> = new Map([
  ...TEXT_FIELDS.map((field) => [field, { read: inField(field), takes: `${A_TEXT} ${field}:word` }] as const),
  [
    "header",
    {
      read: readHeader,
      takes: "a field and text, such as header:x-run=42, but not the date or the content type",
    },
  ],
  ["tag", { read: (tag) => ({ fact: "tag", tag }), takes: `${A_TEXT} tag:invoice` }],
  [
    "is",
    { read: (value) => FLAGS.get(value.toLowerCase()) ?? null, takes: "unread, read, starred or tagged" },
  ],
  [
    "has",
    {
      read: (value) => (/^attachments?$/i.test(value) ? { fact: "attachment", is: true } : null),
      takes: "attachment",
    },
  ],
  ["before", { read: instant("before"), takes: "a date, a time or a span, such as 2026-11-14 or 2d" }],
  ["after", { read: instant("after"), takes: "a date, a time or a span, such as 2026-11-14 or 2d" }],
  ["larger", { read: size("larger"), takes: "a size, such as 1MB" }],
  ["smaller", { read: size("smaller"), takes: "a size, such as 1MB" }],
]);

/** White space except U+FEFF, which `\s` matches although it does not separate words. */
const SPACE = /(?:(?!\ufeff)\s)+/y;
const QUOTED = /"([^"]*)("?)/y;
const END_OF_WORD = /(?!\ufeff)[\s"]/;
/**
 * A name and a colon, and perhaps the text before a quoted value: `header:x-run=` in
 * `header:x-run="a b"`. A colon before two slashes belongs to a web address.
 */
const OPERATOR = /([a-z][a-z0-9_-]*):(?!\/\/)(?:([^\s"()=]+=)?(?="))?/iy;
/** A minus before a word. A minus alone, or before another minus, is a dash. */
const MINUS = /-(?![-\s]|$)/y;
const FIELD_OF_GROUP = new RegExp(`(${TEXT_FIELDS.join("|")}|tag):(?=\\()`, "iy");
const OR = /OR(?=[\s()"]|$)/y;
/** Before the first term of a group, OR is an operator only if something follows. Otherwise it is a word. */
const LEADING_OR = /OR(?=[("]|\s+[^\s)])/y;
type GroupField = TextField | "tag";
const MAX_HINT_NAME_CHARS = 40;
/** FTS5 refuses expressions that are nested much deeper. */
const MAX_DEPTH = 8;
const TOO_DEEP: SearchQuery = {
  root: null,
  hint: `Parentheses may be nested ${MAX_DEPTH} deep; a deeper search finds nothing.`,
};
/** A search for 100 words that occur in all of 100,000 mails would take a second. */
const MAX_DIFFERENT_WORDS = 50;
const MAX_WORDS = 200;
const TOO_LONG: SearchQuery = {
  root: null,
  hint: `A search may have at most ${MAX_DIFFERENT_WORDS} different words and conditions, or ${MAX_WORDS} including repeated ones; a longer search finds nothing.`,
};

function isTooLong(root: SearchNode): boolean {
  const words = wordsIn(simplified(root));
  return words.length > MAX_WORDS || new Set(words).size > MAX_DIFFERENT_WORDS;
}

/** An open group: alternatives separated by OR, each a list of terms that must all match. */
interface OpenGroup {
  readonly isNegated: boolean;
  /** The field of `from:(ann OR bob)`. */
  readonly field: GroupField | undefined;
  /** An alternative without terms is ignored. */
  readonly alternatives: SearchNode[][];
  /** Whether a term was read. */
  isBegun: boolean;
}

class Reader {
  readonly #q: string;
  readonly #now: number;
  #at = 0;
  #hint: string | null = null;
  readonly #open: OpenGroup[] = [newGroup(false)];
  /** The index at which the current top-level term or group begins. */
  #start = 0;
  readonly #places: SearchPlace[] = [];

  constructor(q: string, now: number) {
    this.#q = q;
    this.#now = now;
  }

  read(): SearchQuery {
    while (this.#at < this.#q.length && this.#open.length <= MAX_DEPTH + 1) this.#step();
    if (this.#open.length > MAX_DEPTH + 1) return TOO_DEEP;
    while (this.#open.length > 1) this.#closeGroup();
    const root = nodeOf(this.#group);
    return root !== null && isTooLong(root) ? TOO_LONG : { root, hint: this.#hint };
  }

  places(): readonly SearchPlace[] {
    this.read();
    return this.#open.length > 1 || this.#group.alternatives.length > 1 ? [] : this.#places;
  }

  #keepPlace(): void {
    if (this.#open.length === 1) this.#places.push({ start: this.#start, end: this.#at });
  }

  get #group(): OpenGroup {
    return this.#open.at(-1) as OpenGroup;
  }

  #step(): void {
    if (this.#take(SPACE)) return;
    if (this.#q[this.#at] === ")" && this.#open.length > 1) {
      this.#at++;
      this.#closeGroup();
      this.#keepPlace();
      return;
    }
    if (this.#open.length === 1) this.#start = this.#at;
    if (this.#take(this.#group.isBegun ? OR : LEADING_OR)) {
      this.#group.alternatives.push([]);
      return;
    }
    const isNegated = this.#take(MINUS) !== null;
    const isOpposite = isNegated !== this.#group.isNegated;
    const field = this.#take(FIELD_OF_GROUP)?.[1]?.toLowerCase() as GroupField | undefined;
    if (this.#q[this.#at] !== "(") {
      const term = this.#term(isOpposite);
      this.#add(nodeOfTerm(term, isOpposite));
      if (isNegated || "fact" in term || term.field !== undefined) this.#keepPlace();
      return;
    }
    this.#at++;
    this.#open.push(newGroup(isOpposite, field ?? this.#group.field));
  }

  #add(node: SearchNode | null): void {
    this.#group.isBegun = true;
    if (node !== null) this.#group.alternatives.at(-1)?.push(node);
  }

  #closeGroup(): void {
    const closed = this.#open.pop();
    this.#add(closed ? nodeOf(closed) : null);
  }

  #term(isNegated: boolean): Term {
    const start = this.#at;
    const operator = this.#take(OPERATOR);
    const [, name = "", before = ""] = operator ?? [];
    const term = operator && this.#operatorTerm(name.toLowerCase(), before, isNegated);
    if (term !== null) return term;
    this.#at = start;
    const { value, isWhole } = this.#value();
    const { field } = this.#group;
    return field === "tag" ? { fact: field, tag: value } : { field, phrase: phraseOf(value, isWhole) };
  }

  /** Null if there is no such operator, or its value is missing or cannot be read. */
  #operatorTerm(name: string, before: string, isNegated: boolean): Term | null {
    const operator = OPERATORS.get(name);
    if (operator === undefined) {
      this.#misread(isNegated, () => unknownOperator(name.slice(0, MAX_HINT_NAME_CHARS)));
      return null;
    }
    const { value, isWhole } = this.#value();
    const term = value === "" && !isWhole ? null : operator.read(before + value, isWhole, this.#now);
    if (term === null)
      this.#misread(isNegated, () => `${name}: takes ${operator.takes}; it was searched for as text.`);
    return term;
  }

  #misread(isNegated: boolean, hint: () => string): void {
    if (!isNegated) this.#hint ??= hint();
    else if (!findsTooMuch(this.#hint)) this.#hint = `-${hint()}`;
  }

  /** A quoted text, or everything up to the next space or quote, or to the end of the group. */
  #value(): { value: string; isWhole: boolean } {
    const quoted = this.#take(QUOTED);
    if (quoted !== null) return { value: quoted[1] ?? "", isWhole: quoted[2] === '"' };
    const start = this.#at;
    // Pairs of parentheses belong to the word.
    let open = this.#open.length > 1 ? 0 : Number.POSITIVE_INFINITY;
    for (; this.#at < this.#q.length; this.#at++) {
      const char = this.#q.charAt(this.#at);
      if (END_OF_WORD.test(char)) break;
      if (char === "(") open++;
      else if (char === ")" && --open < 0) break;
    }
    return { value: this.#q.slice(start, this.#at), isWhole: false };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#q);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** The API's own filters that have an operator of another name. */
const OPERATOR_OF_FILTER: ReadonlyMap<string, string> = new Map([
  ["sender", "from"],
  ["header_from", "from"],
  ["recipient", "to"],
  ["header_to", "to"],
  ["since", "after"],
  ["until", "before"],
]);

const unknownOperator = (name: string): string => {
  const meant = OPERATOR_OF_FILTER.get(name) ?? near(name, [...OPERATORS.keys()]);
  const end = meant === null ? "." : `; did you mean ${meant}:?`;
  return `${name}: is not a search operator, so it was searched for as text${end}`;
};

const newGroup = (isNegated: boolean, field?: GroupField): OpenGroup => ({
  isNegated,
  field,
  alternatives: [[]],
  isBegun: false,
});

/**
 * "not (a and b)" means "(not a) or (not b)": in a negated group the terms are negated, and "all" and "any" are
 * swapped. Null if the group has no terms.
 */
function nodeOf({ isNegated, alternatives }: OpenGroup): SearchNode | null {
  const all = isNegated ? "any" : "all";
  const any = isNegated ? "all" : "any";
  return grouped(
    any,
    alternatives.flatMap((terms) => grouped(all, terms) ?? []),
  );
}

/** A group within a group of the same kind is merged into it. Null without nodes. */
function grouped(kind: Group["kind"], nodes: readonly SearchNode[]): SearchNode | null {
  if (nodes.length < 2) return nodes[0] ?? null;
  return { kind, of: nodes.flatMap((node) => (node.kind === kind ? node.of : [node])) };
}

/** Null for an empty tag, and for a text without anything that can be searched for. */
function nodeOfTerm(term: Term, isNegated: boolean): SearchNode | null {
  if ("tag" in term && term.tag === "") return null;
  if ("fact" in term) return { kind: "fact", fact: term, isNegated };
  const isPresence = typeof term.field === "object";
  return term.phrase.words.length > 0 || isPresence ? { kind: "text", ...term, isNegated } : null;
}

/** Spans such as `2d` end at `now`, which is in milliseconds. */
export const parseSearch = (q: string, now: number): SearchQuery => new Reader(q, now).read();

/** Whether a hint is about an operator after a minus. Then the search may find mail that it should leave out. */
export const findsTooMuch = (hint: string | null): boolean => hint?.startsWith("-") ?? false;

/** A sentence for the user if the search was not understood or is too large, otherwise null. */
export const searchHint = (q: string): string | null => parseSearch(q, 0).hint;

/**
 * The places of operators, negated words and closed groups that can be removed from the search one
 * by one. Empty if OR stands outside of a group.
 */
export const searchPlaces = (q: string): readonly SearchPlace[] => new Reader(q, 0).places();

/** Every operator with its colon, and what it takes. */
export const SEARCH_OPERATORS: readonly { readonly name: string; readonly takes: string }[] = [
  ...OPERATORS,
].map(([name, { takes }]) => ({ name: `${name}:`, takes }));
