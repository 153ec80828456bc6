// The header fields that a search can name: `header:x-run=42`. The index and the reader of queries both go through here.

/** Others are in every mail, or are searched under names of their own. */
const NOT_SEARCHED = new Set("from to cc bcc reply-to subject message-id date mime-version".split(" "));

/** Takes a name in lower case. */
export const isSearchedHeader = (name: string): boolean =>
  !NOT_SEARCHED.has(name) && !name.startsWith("content-");
