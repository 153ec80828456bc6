// Python's email package folds long lists of addresses so that the comma between two of them becomes an encoded word,
// which means nothing there (RFC 2047 section 5). Read as written, one address would be part of the other's name.

const ENCODED_COMMA = / ?=\?utf-8\?q\?=2C\?=/gi;

/** A list of addresses in which every comma that parts two is one. */
export const withPlainCommas = (list: string): string => list.replace(ENCODED_COMMA, ",");
