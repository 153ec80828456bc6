export { withBounces } from "./bounces.ts";
export { Faults } from "./faults.ts";
export { type FaultHit, FaultRuleError } from "./rule.ts";
