// The faults on purpose that the settings ask for.
import { Value } from "@sinclair/typebox/value";
import { FaultRuleError, Faults } from "../../app/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { FaultRuleList } from "../../model/index.ts";

export function faultsOf(
  { fault, faultAddresses }: Pick<ServeSettings, "fault" | "faultAddresses">,
  now: () => Date,
): Faults {
  // A variable has an array of them.
  const given: unknown = { rules: fault.flat() };
  const error = Value.Errors(FaultRuleList, given).First();
  if (error) throw wrong(error.path.slice(1).replaceAll("/", "."), error.schema.description ?? error.message);
  try {
    return new Faults({ now, rules: (given as FaultRuleList).rules, addresses: faultAddresses });
  } catch (error) {
    if (error instanceof FaultRuleError) throw wrong(error.field, error.reason);
    throw error;
  }
}

const wrong = (field: string, reason: string) => {
  const [, index = "0", name = ""] = /^rules\.(\d+)\.?(.*)$/.exec(field) ?? [];
  return new UsageError(`--fault: rule ${Number(index) + 1}: ${name || "it"}: ${reason}`);
};
