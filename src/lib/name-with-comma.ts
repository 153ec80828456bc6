// A name with a comma that lacks its quotes: "Doe, John <john@x.test>". For whoever reads a list of addresses.

/** Ends before an address in brackets. Long enough for a name, with what stands in parentheses behind it. */
const REST_OF_NAME = /[^":;<>@]{2,100}(?=<[^<>@ \t\r\n]+@)/y;
/** Encoded or not; "van den berg" is one by its words. */
const PERSON = /\p{Lu}|[^\x00-\x7f]|=\?|\S\s+\S/u;

/** Whether the rest of somebody's name and an address follow. */
export function isRestOfName(list: string, from: number): boolean {
  REST_OF_NAME.lastIndex = from;
  return REST_OF_NAME.test(list);
}

/** Whether what stands before the comma may be part of a name: local users are one word in small letters of ASCII. */
export const isPerson = (text: string): boolean => PERSON.test(text);
