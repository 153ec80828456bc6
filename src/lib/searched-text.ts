// How many characters of one message's text can be searched. What mime finds ends there, and what is indexed; a warning
// says that there was more.
export const MAX_SEARCHED_CHARS = 8 << 20;
