export { connect } from "./connect.ts";
export { describeBounds, describeMail } from "./describe.ts";
export { ExpectationError, MailkeepError, UnreachableError } from "./errors.ts";
export { describeFilter, type MailFilter } from "./filter.ts";
export type { CountExpectation, Inbox, WaitOptions } from "./inbox.ts";
export type { Mail, MailAttachment } from "./mail.ts";
export type { Subscription } from "./subscription.ts";
export type { TimeSpan } from "./time.ts";
export type * from "./types.ts";
