// Characters that nobody sees, with which newsletters pad the line that lists show of them.

const UNSEEN = "\\u034f\\u00ad\\u180e\\u200b\\u2060-\\u2064\\ufeff";
/** Joiners and marks of direction mean something behind a letter or an emoji, not alone or among the others. */
const FILLER = new RegExp(`[${UNSEEN}]|(?<![^\\s${UNSEEN}])[\\u200c-\\u200f]+`, "g");

export const withoutFiller = (text: string): string => text.replace(FILLER, "");
