// Jim, MailHog's chaos monkey, as fault rules: each of its chances is the probability of one rule.
import { type TInteger, type TNumber, Type } from "@sinclair/typebox";
import type { FaultRule } from "../../../model/index.ts";
import { Problem } from "../../problem.ts";
import { type Call, fields, ownFaults, type Routes } from "../route.ts";

/** With MailHog's default chances. A slow connection always gets the lowest speed, because a rule has only one. */
const RULES: readonly (readonly [chance: string, usual: number, rule: FaultRule])[] = [
  ["AcceptChance", 0.99, { name: "jim-accept", at: "connect", drop: true }],
  ["LinkSpeedAffect", 0.1, { name: "jim-link", at: "connect", throttle: 1024 }],
  ["DisconnectChance", 0.005, { name: "jim-disconnect", at: "mail", drop: true }],
  ["RejectSenderChance", 0.05, { name: "jim-sender", at: "mail", reply: { code: 550 } }],
  ["RejectRecipientChance", 0.05, { name: "jim-recipient", at: "rcpt", reply: { code: 550 } }],
  ["RejectAuthChance", 0.05, { name: "jim-auth", at: "auth", reply: { code: 535 } }],
];
const NAMES = RULES.map(([, , { name = "" }]) => name);

const Chance = Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" });
const Speed = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Given = fields<Record<string, TInteger | TNumber>>({
  ...Object.fromEntries(RULES.map(([chance]) => [chance, Chance])),
  LinkSpeedMin: Speed,
  LinkSpeedMax: Speed,
});

/** Jim gives the chance to accept; a rule has the chance to drop. */
const turned = (chance: string, value: number) => (chance === "AcceptChance" ? 1 - value : value);

function setJim(call: Call): void {
  const given = call.sent(Given);
  const rules = RULES.map(([chance, usual, rule]) => ({
    ...rule,
    ...(rule.throttle !== undefined && { throttle: given.LinkSpeedMin ?? rule.throttle }),
    probability: turned(chance, given[chance] ?? usual),
  }));
  ownFaults(call, NAMES).replace(rules);
}

function jimOf(call: Call) {
  const { rules } = ownFaults(call, NAMES);
  if (rules.size === 0) throw new Problem(404, "unknown_fault", "Jim is not enabled.");
  const speed = rules.get("jim-link")?.throttle ?? 1024;
  const chances = RULES.map(
    ([chance, , { name = "" }]) => [chance, turned(chance, rules.get(name)?.probability ?? 0)] as const,
  );
  return { ...Object.fromEntries(chances), LinkSpeedMin: speed, LinkSpeedMax: speed };
}

export const JIM: Routes = {
  "GET /api/v2/jim": jimOf,
  "POST /api/v2/jim": setJim,
  "PUT /api/v2/jim": setJim,
  "DELETE /api/v2/jim": (call) => ownFaults(call, NAMES).replace([]),
};
