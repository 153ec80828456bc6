export { Expectations } from "./expectations.ts";
export { AccessEndedError, InboxRemovedError, WaitAbandonedError } from "./waiting.ts";
