export { baseLetters, foldCase } from "./fold.ts";
export {
  type Fact,
  type Group,
  isSearchedHeader,
  parseSearch,
  SEARCH_OPERATORS,
  type SearchNode,
  searchHint,
  searchPlaces,
  type TextField,
  type TextTerm,
} from "./search-query.ts";
export { foldWords, WORD } from "./search-words.ts";
export { parseSince, type Since } from "./since.ts";
