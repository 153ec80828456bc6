export { Expectations } from "./expectations.ts";
export { WaitAbandonedError } from "./waiting.ts";
