// Limits that several parts of Mailkeep hold to, each once.

/** How long the API lets a client wait for mail. The command line refuses more before it asks. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The API refuses more tags, mail that brings more keeps the first, and the page says so before it asks. */
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;

/** Rules of faults on purpose. */
export const MAX_FAULT_RULES = 1000;
