export { baseLetters, foldCase, foldLongText, foldWords, MAX_SHORT_CHARS, WORD } from "./fold.ts";
export {
  type Fact,
  type Group,
  type SearchNode,
  simplified,
  type TextField,
  type TextTerm,
} from "./search-node.ts";
export {
  findsTooMuch,
  isSearchedHeader,
  parseSearch,
  SEARCH_OPERATORS,
  searchHint,
  searchPlaces,
} from "./search-query.ts";
export { EXPIRY, parseExpiry, parseSince, type Since } from "./since.ts";
