// Faults on purpose: the rules by which the SMTP server refuses, delays and drops.
import { FaultRuleError } from "../../app/index.ts";
import type { FaultStage } from "../../lib/fault-stages.ts";
import { nearest } from "../../lib/nearest.ts";
import { DEFAULT_INBOX, Fault, FaultList, FaultRule, FaultRuleList } from "../../model/index.ts";
import type { Scope } from "../../store/index.ts";
import { scopeOf } from "../caller.ts";
import { operation, route, routes } from "../openapi/operation.ts";
import { jsonAnswer, NO_STORE, problem } from "../openapi/responses.ts";
import { Problem, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

const unknownFault = (name: string) =>
  new Problem(404, "unknown_fault", `No rule has the name ${quote(name)}.`);

const LIST = operation("GET /api/v1/faults", "read", "Faults", {
  operationId: "listFaults",
  summary: "The rules, and how often each was carried out",
  description:
    "A rule that was carried out `times` times stays. So do the last 100 that have expired, at the end.",
  responses: { 200: jsonAnswer("The rules.", FaultList) },
});

const REPLACE = operation("PUT /api/v1/faults", "inbox", "Faults", {
  operationId: "replaceFaults",
  summary: "Replace all rules",
  description:
    "The first rule that matches is applied. Counts start at 0. If a rule is invalid the answer is 400, and all rules stay " +
    "as they were.",
  body: FaultRuleList,
  responses: { 200: jsonAnswer("The rules.", FaultList) },
});

const ADD = operation("POST /api/v1/faults", "inbox", "Faults", {
  operationId: "addFault",
  summary: "Add a rule",
  description: "It comes after the others, whose counts continue. Its name must be new.",
  body: FaultRule,
  responses: { 201: jsonAnswer("The rule.", Fault) },
});

const GONE = { 204: { description: "Gone.", headers: NO_STORE } };

const CLEAR = operation("DELETE /api/v1/faults", "inbox", "Faults", {
  operationId: "deleteFaults",
  summary: "Remove all rules",
  responses: GONE,
});

const DELETE = operation("DELETE /api/v1/faults/:name", "inbox", "Faults", {
  operationId: "deleteFault",
  summary: "Remove a rule",
  responses: { ...GONE, 404: problem("No rule has this name.", unknownFault("busy")) },
});

/** Before AUTH only the port can tell the inbox. */
const BEFORE_AUTH: readonly FaultStage[] = ["connect", "ehlo", "starttls"];

export function faults({ faults, inboxes, facts }: Pick<Dependencies, "faults" | "inboxes" | "facts">) {
  /** A rule whose inbox is misspelt, or not known at its stage, would never apply. */
  const refuseWrongInbox = async (rule: FaultRule, scope: Scope, path = ""): Promise<void> => {
    const { at, inbox = scope?.[0] } = rule;
    if (inbox === undefined) return;
    if (scope === null && !(await inboxes.has(inbox))) {
      const names = (await inboxes.list(null)).map(({ name }) => name);
      throw new FaultRuleError(`${path}inbox`, `names no inbox; the nearest is ${nearest(inbox, names)}`);
    }
    if (!BEFORE_AUTH.includes(at) || inbox === DEFAULT_INBOX || facts.inboxPorts().has(inbox)) return;
    throw new FaultRuleError(
      `${path}at`,
      `cannot be ${at} for the inbox ${inbox}: it has no SMTP port of its own, so it is known from auth on`,
    );
  };
  const list = (request: Request): FaultList => ({ rules: faults.list(scopeOf(request)) });
  return routes(
    route(LIST, ({ request }) => list(request)),
    route(REPLACE, async ({ request, body: { rules } }): Promise<FaultList> => {
      for (const [index, rule] of rules.entries())
        await refuseWrongInbox(rule, scopeOf(request), `rules.${index}.`);
      faults.replace(rules, scopeOf(request));
      return list(request);
    }),
    route(ADD, async ({ request, body }): Promise<Fault> => {
      await refuseWrongInbox(body, scopeOf(request));
      return faults.add(body, scopeOf(request));
    }),
    route(CLEAR, ({ request }) => faults.replace([], scopeOf(request))),
    route(DELETE, ({ request, params: { name } }) => {
      if (!faults.remove(name, scopeOf(request))) throw unknownFault(name);
    }),
  );
}
