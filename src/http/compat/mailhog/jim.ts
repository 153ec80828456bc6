// Jim, the monkey of MailHog, as rules of faults: each chance is the probability of one.
import { Type } from "@sinclair/typebox";
import type { FaultRule } from "../../../model/index.ts";
import { badRequest, Problem } from "../../problem.ts";
import { type Call, done, fields, ownFaults, type Routes } from "../route.ts";

type Jim = Readonly<Record<string, number>>;

/** With the chances of MailHog. A slow connection has the lowest speed: a rule has one. */
const RULES: readonly (readonly [chance: string, usual: number, rule: FaultRule])[] = [
  ["AcceptChance", 0.99, { name: "jim-accept", at: "connect", drop: true }],
  ["LinkSpeedAffect", 0.1, { name: "jim-link", at: "connect", throttle: 1024 }],
  ["DisconnectChance", 0.005, { name: "jim-disconnect", at: "mail", drop: true }],
  ["RejectSenderChance", 0.05, { name: "jim-sender", at: "mail", reply: { code: 550 } }],
  ["RejectRecipientChance", 0.05, { name: "jim-recipient", at: "rcpt", reply: { code: 550 } }],
  ["RejectAuthChance", 0.05, { name: "jim-auth", at: "auth", reply: { code: 535 } }],
];
const NAMES = RULES.map(([, , { name = "" }]) => name);
const CHANCES: Jim = Object.fromEntries(RULES);
const SPEEDS: Jim = { LinkSpeedMin: 1024, LinkSpeedMax: 10_240 };

const chance = Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" });
const speed = Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "bytes a second" });
const each = <Value>(names: Jim, value: Value) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, value]));
const Given = fields({ ...each(CHANCES, chance), ...each(SPEEDS, speed) });

/** A rule drops what Jim does not accept. */
const turned = (chance: string, value = 0) => (chance === "AcceptChance" ? 1 - value : value);

function replaceJim(call: Call, before: Jim, status: number): Response {
  const jim: Jim = { ...before, ...(call.sent(Given) as Jim) };
  const rules = RULES.map(([chance, , rule]) => ({
    ...rule,
    probability: turned(chance, jim[chance]),
    ...(rule.throttle !== undefined && { throttle: jim.LinkSpeedMin }),
  }));
  ownFaults(call, NAMES).replace(rules);
  return done("", status);
}

function jimOf(call: Call): Jim | null {
  const { rules } = ownFaults(call, NAMES);
  const link = rules.get("jim-link");
  if (!link) return null;
  const chances = RULES.map(([chance, , { name = "" }]) => [
    chance,
    turned(chance, rules.get(name)?.probability),
  ]);
  return { ...Object.fromEntries(chances), ...each(SPEEDS, Number(link.throttle)) };
}

function knownJim(call: Call): Jim {
  const jim = jimOf(call);
  if (jim === null) throw new Problem(404, "unknown_fault", "Jim is not enabled.");
  return jim;
}

export const JIM: Routes = {
  "GET /v2/jim": knownJim,
  "POST /v2/jim": (call) => {
    if (jimOf(call)) throw badRequest("invalid_body", "Jim is here already; PUT changes what he does.");
    return replaceJim(call, { ...CHANCES, ...SPEEDS }, 201);
  },
  "PUT /v2/jim": (call) => replaceJim(call, knownJim(call), 200),
  "DELETE /v2/jim": (call) => {
    knownJim(call);
    ownFaults(call, NAMES).replace([]);
    return done();
  },
};
