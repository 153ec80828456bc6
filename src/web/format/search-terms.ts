// What is typed into the search box: words to find, and terms such as `from:ann` that are filters of the list.
// A term without its value yet, as it is while one types, filters nothing.
export interface Search {
  readonly text: string;
  /** Names and values of the list's parameters. */
  readonly filters: readonly (readonly [name: string, value: string])[];
}

const TERM = /(?<!\S)(from|to|subject|tag|is|has):(?:"([^"]*)"?|(\S*))/gi;
const FIELDS: Readonly<Record<string, string>> = {
  from: "sender",
  to: "recipient",
  subject: "subject",
  tag: "tag",
};
const FLAGS: Readonly<Record<string, string>> = {
  "is:unread": "unread",
  "is:starred": "starred",
  "has:attachment": "has_attachments",
};

/** Every operator, and what it finds. */
export const OPERATORS: Readonly<Record<string, string>> = {
  "from:": "part of the sender",
  "to:": "part of a recipient",
  "subject:": "part of the subject",
  "tag:": "mail with this tag",
  "is:unread": "mail that is not read",
  "is:starred": "mail with a star",
  "has:attachment": "mail with attachments",
};

export function readSearch(typed: string): Search {
  const filters: [string, string][] = [];
  const text = typed.replace(TERM, (term: string, key: string, quoted?: string, bare?: string) => {
    const value = quoted ?? bare ?? "";
    const flag = FLAGS[term.toLowerCase()];
    const field = FIELDS[key.toLowerCase()];
    if (flag) filters.push([flag, "true"]);
    else if (field && value !== "") filters.push([field, value]);
    else if (value !== "") return term;
    return "";
  });
  return { text: text.trim(), filters };
}

/** The terms of a search that filter the list, as they were typed. */
export const searchTerms = (typed: string): string[] =>
  (typed.match(TERM) ?? []).filter((term) => readSearch(term).filters.length > 0);

/** Words that look like an operator and are none: they are searched for as they stand. */
export const unknownOperators = (typed: string): string[] =>
  (typed.match(/(?<!\S)-?[a-z_]+:(?!\/\/)\S*/gi) ?? []).filter((word) => readSearch(word).text !== "");

export interface Suggestion {
  readonly term: string;
  readonly hint: string;
}

const MOST_VALUES = 6;

/** How the last word of a search can go on. `known`: the values seen so far, by operator. */
export function suggest(typed: string, known: Readonly<Record<string, readonly string[]>>): Suggestion[] {
  const last = lastWord(typed).toLowerCase();
  // Behind a finished word the hits matter more.
  if (last === "" && typed !== "") return [];
  const [, operator = "", begun = ""] = /^(from:|to:|tag:)(.*)$/.exec(last) ?? [];
  const values = (known[operator] ?? []).filter((value) => value.toLowerCase().includes(begun));
  if (operator !== "") {
    return values.slice(0, MOST_VALUES).map((value) => ({
      term: `${operator}${/\s/.test(value) ? `"${value}"` : value} `,
      hint: "",
    }));
  }
  return Object.entries(OPERATORS)
    .filter(([term]) => term.startsWith(last) && term !== last)
    .map(([term, hint]) => ({ term: term.endsWith(":") ? term : `${term} `, hint }));
}

const lastWord = (typed: string): string => /\S*$/.exec(typed)?.[0] ?? "";

export const withSuggestion = (typed: string, { term }: Suggestion): string =>
  typed.slice(0, typed.length - lastWord(typed).length) + term;
