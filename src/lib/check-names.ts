// The checks of a mail, in the order in which they are answered.
export const CHECK_NAMES = ["html", "links", "auth", "content", "accessibility", "spam"] as const;
export type CheckName = (typeof CHECK_NAMES)[number];
