// Limits that several parts of Mailkeep share.

/** How long the API lets a client wait for mail. The command line refuses more before it asks. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The API refuses more tags. Mail that brings more keeps the first ones. The page checks before it sends. */
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;

/** Rules of faults on purpose. */
export const MAX_FAULT_RULES = 1000;
