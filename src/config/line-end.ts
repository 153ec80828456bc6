// What ends a value that was read from a file, and is no part of it.

/** Of Windows' line ends shells and Docker's --env-file take off one half. */
export const withoutLineEnd = (given: string): string => given.replace(/(?:\r?\n|\r)$/, "");
