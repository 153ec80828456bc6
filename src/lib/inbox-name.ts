// How inboxes are called.

/** Where mail goes that no rule sends elsewhere. It is always there. */
export const DEFAULT_INBOX = "default";
