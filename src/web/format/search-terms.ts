// Splits the text of the search box, to change and complete it. The server does the search.
import { SEARCH_OPERATORS, searchPlaces } from "../../query/index.ts";

const VALUES = ["is:unread", "is:read", "is:starred", "is:tagged", "has:attachment"];

const lastWord = (typed: string): string => /\S*$/.exec(typed)?.[0] ?? "";
const withoutLast = (typed: string): string => typed.slice(0, typed.length - lastWord(typed).length);

/** Leaves out an operator at the end whose value is not typed yet, to search while typing. */
export function finished(typed: string): string {
  const word = lastWord(typed).toLowerCase().replace(/^-/, "");
  const isBegun = VALUES.some((value) => value.startsWith(word) && value !== word);
  return word.endsWith(":") || (word.includes(":") && isBegun) ? withoutLast(typed) : typed;
}

/** Terms that can be removed, each with the search without it. None if there is an OR outside of groups. */
export const searchChips = (typed: string): { readonly term: string; readonly without: string }[] =>
  searchPlaces(typed).map(({ start, end }) => ({
    term: typed.slice(start, end),
    without: `${typed.slice(0, start)}${typed.slice(end).trimStart()}`.trim(),
  }));

export interface Suggestion {
  readonly term: string;
  readonly hint: string;
}

const MOST_SUGGESTIONS = 8;
/** How many values each operator offers for a word without an operator. */
const MOST_OF_A_KIND = 3;

/** Completions for the last word of a search. `known`: the values seen so far, by operator. */
export function suggest(typed: string, known: Readonly<Record<string, readonly string[]>>): Suggestion[] {
  const word = lastWord(typed);
  // After a finished word the results matter more than suggestions.
  if (word === "" && typed !== "") return [];
  const [, minus = "", begun = ""] = /^(-?)(.*)$/.exec(word.toLowerCase()) ?? [];
  const [, operator = "", part = ""] = /^([a-z-]+:)(.*)$/.exec(begun) ?? [];
  const withPart = (operator: string, part: string) =>
    (known[operator] ?? [])
      .filter((value) => value.toLowerCase().includes(part))
      .map((value) => ({ term: `${operator}${/\s/.test(value) ? `"${value}"` : value} `, hint: "" }));
  const kinds = operator === "" && begun !== "" ? Object.keys(known) : [];
  const anywhere = kinds.flatMap((kind) => withPart(kind, begun).slice(0, MOST_OF_A_KIND));
  const fixed = VALUES.filter((value) => value.startsWith(begun) && value !== begun && operator !== "");
  const operators = SEARCH_OPERATORS.filter(({ name }) => operator === "" && name.startsWith(begun));
  return [
    ...withPart(operator, part),
    ...fixed.map((value) => ({ term: `${value} `, hint: "" })),
    ...operators.map(({ name, takes }) => ({ term: name, hint: takes })),
    ...anywhere,
  ]
    .slice(0, begun === "" ? undefined : MOST_SUGGESTIONS)
    .map(({ term, hint }) => ({ term: minus + term, hint }));
}

export const withSuggestion = (typed: string, { term }: Suggestion): string => withoutLast(typed) + term;
