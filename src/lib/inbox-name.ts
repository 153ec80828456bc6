// How inboxes are called.

/** Where mail goes that no rule sends elsewhere. It is always there. */
export const DEFAULT_INBOX = "default";

export const INBOX_NAME = "^[a-z0-9][a-z0-9._-]{0,62}$";
export const INBOX_NAME_RULE =
  "1 to 63 small letters, digits, dots, dashes and underscores, the first of them a letter or a digit";
