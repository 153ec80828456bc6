// Jim, the monkey of MailHog, as rules of faults: each chance is the probability of one.
import { type Static, Type } from "@sinclair/typebox";
import type { FaultRule } from "../../../model/index.ts";
import { badRequest, Problem } from "../../problem.ts";
import { type Call, done, fields, ownFaults, type Routes } from "../route.ts";

const chance = Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" });
const speed = Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "bytes a second" });
const Jim = fields({
  AcceptChance: chance,
  DisconnectChance: chance,
  LinkSpeedAffect: chance,
  LinkSpeedMin: speed,
  LinkSpeedMax: speed,
  RejectSenderChance: chance,
  RejectRecipientChance: chance,
  RejectAuthChance: chance,
});
type Jim = Required<Static<typeof Jim>>;

/** Those of MailHog. */
const DEFAULTS: Jim = {
  AcceptChance: 0.99,
  DisconnectChance: 0.005,
  LinkSpeedAffect: 0.1,
  LinkSpeedMin: 1024,
  LinkSpeedMax: 10_240,
  RejectSenderChance: 0.05,
  RejectRecipientChance: 0.05,
  RejectAuthChance: 0.05,
};

/** A slow connection has the lowest speed: a rule has one. */
const rulesOf = (jim: Jim): FaultRule[] => [
  { name: "jim-accept", at: "connect", probability: 1 - jim.AcceptChance, drop: true },
  { name: "jim-link", at: "connect", probability: jim.LinkSpeedAffect, throttle: jim.LinkSpeedMin },
  { name: "jim-disconnect", at: "mail", probability: jim.DisconnectChance, drop: true },
  { name: "jim-sender", at: "mail", probability: jim.RejectSenderChance, reply: { code: 550 } },
  { name: "jim-recipient", at: "rcpt", probability: jim.RejectRecipientChance, reply: { code: 550 } },
  { name: "jim-auth", at: "auth", probability: jim.RejectAuthChance, reply: { code: 535 } },
];

const NAMES = rulesOf(DEFAULTS).map(({ name = "" }) => name);

function jimOf(call: Call): Jim | null {
  const { rules } = ownFaults(call, NAMES);
  const [accept, link, disconnect, sender, recipient, auth] = NAMES.map((name) => rules.get(name));
  if (!link) return null;
  return {
    AcceptChance: 1 - (accept?.probability ?? 0),
    DisconnectChance: disconnect?.probability ?? 0,
    LinkSpeedAffect: link.probability ?? 0,
    LinkSpeedMin: Number(link.throttle),
    LinkSpeedMax: Number(link.throttle),
    RejectSenderChance: sender?.probability ?? 0,
    RejectRecipientChance: recipient?.probability ?? 0,
    RejectAuthChance: auth?.probability ?? 0,
  };
}

function knownJim(call: Call): Jim {
  const jim = jimOf(call);
  if (jim === null) throw new Problem(404, "unknown_fault", "Jim is not enabled.");
  return jim;
}

function replaceJim(call: Call, rules: readonly FaultRule[], status = 200): Response {
  ownFaults(call, NAMES).replace(rules);
  return done("", status);
}

export const JIM: Routes = {
  "GET /v2/jim": knownJim,
  "POST /v2/jim": (call) => {
    if (jimOf(call)) throw badRequest("invalid_body", "Jim is here already; PUT changes what he does.");
    return replaceJim(call, rulesOf({ ...DEFAULTS, ...call.sent(Jim) }), 201);
  },
  "PUT /v2/jim": (call) => replaceJim(call, rulesOf({ ...knownJim(call), ...call.sent(Jim) })),
  "DELETE /v2/jim": (call) => {
    knownJim(call);
    return replaceJim(call, []);
  },
};
