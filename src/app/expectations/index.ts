export { Expectations } from "./expectations.ts";
export { InboxRemovedError, WaitAbandonedError } from "./waiting.ts";
