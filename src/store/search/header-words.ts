// Words of header fields as the text index keeps them for `header:name=word`: each word together with the name of its
// field is one token. Both signs fold to plain letters in every text that is indexed or typed, so only what is made
// here begins with them.

const BEFORE_NAME = "ª";
const BEFORE_WORD = "º";

/** Characters that would split a word. */
const NOT_IN_NAMES = /[^a-z0-9]/g;

/** A token that every mail has: a negated search takes its matches away from all mails. */
export const EVERY_MAIL = BEFORE_NAME;

/** A token that every mail of an inbox has. */
export const inboxWord = (inbox: string): string => BEFORE_WORD + Buffer.from(inbox).toString("hex");

/**
 * Takes a lower-case name. With an empty word, the token that says that the field exists; it is a prefix of
 * the tokens of its words.
 */
export const headerWord = (name: string, word: string): string =>
  `${BEFORE_NAME}${name.replace(NOT_IN_NAMES, "")}${BEFORE_WORD}${word}`;
