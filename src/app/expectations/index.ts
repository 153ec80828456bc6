export {
  type ArrivalOutcome,
  type CountExpectation,
  type CountOutcome,
  Expectations,
  type ExpectationsOptions,
} from "./expectations.ts";
export { WaitAbandonedError } from "./wait.ts";
