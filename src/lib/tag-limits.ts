// How many tags a message has, and how long one is. The API refuses more, mail that brings more keeps the first, and
// the page says so before it asks.
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;
