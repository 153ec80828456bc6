// How long the API lets a client wait for mail. The command line refuses more before it asks.
export const MAX_WAIT_MS = 5 * 60_000;
