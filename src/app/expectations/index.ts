export {
  type ArrivalOutcome,
  type CountExpectation,
  type CountOutcome,
  Expectations,
  type ExpectationsOptions,
  WaitAbandonedError,
} from "./expectations.ts";
