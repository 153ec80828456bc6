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

export const SEARCH_TERMS = ["from:", "to:", "subject:", "tag:", ...Object.keys(FLAGS)];

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
