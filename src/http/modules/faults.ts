// Faults on purpose: the rules by which the SMTP server refuses, delays and drops.
import { Elysia } from "elysia";
import { FaultRuleError } from "../../app/index.ts";
import type { FaultStage } from "../../lib/fault-stages.ts";
import { nearest } from "../../lib/nearest.ts";
import { DEFAULT_INBOX, Fault, FaultList, FaultRule, FaultRuleList } from "../../model/index.ts";
import type { Scope } from "../../store/index.ts";
import { operation } from "../openapi/operation.ts";
import { BAD_BODY, jsonAnswer, NO_STORE, problem } from "../openapi/responses.ts";
import { Problem, quote } from "../problem.ts";
import { scopeOf } from "../scope.ts";
import type { Dependencies } from "./dependencies.ts";
import type { ServiceFacts } from "./service.ts";

const unknownFault = (name: string) =>
  new Problem(404, "unknown_fault", `No rule has the name ${quote(name)}.`);

const LIST = operation({
  operationId: "listFaults",
  summary: "The rules, and how often each was carried out",
  description:
    "A rule that was carried out `times` times stays. So do the last 100 that have expired, at the end.",
  tags: ["Faults"],
  responses: { 200: jsonAnswer("The rules.", FaultList) },
});

const REPLACE = operation({
  operationId: "replaceFaults",
  summary: "Replace all rules",
  description:
    "The first rule that matches is applied. Counts start at 0. If a rule is invalid the answer is 400, and all rules stay " +
    "as they were.",
  tags: ["Faults"],
  body: FaultRuleList,
  responses: { 200: jsonAnswer("The rules.", FaultList), ...BAD_BODY },
});

const ADD = operation({
  operationId: "addFault",
  summary: "Add a rule",
  description: "It comes after the others, whose counts go on. Its name must be new.",
  tags: ["Faults"],
  body: FaultRule,
  responses: { 201: jsonAnswer("The rule.", Fault), ...BAD_BODY },
});

const GONE = { 204: { description: "Gone.", headers: NO_STORE }, ...BAD_BODY };

const CLEAR = operation({
  operationId: "deleteFaults",
  summary: "Remove all rules",
  tags: ["Faults"],
  responses: GONE,
});

const DELETE = operation({
  operationId: "deleteFault",
  summary: "Remove a rule",
  tags: ["Faults"],
  responses: { ...GONE, 404: problem("No rule has this name.", unknownFault("busy")) },
});

const gone = () => new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

/** Before AUTH only the port can tell the inbox. */
const BEFORE_AUTH: readonly FaultStage[] = ["connect", "ehlo", "starttls"];

interface FaultsOptions extends Pick<Dependencies, "faults" | "inboxes"> {
  readonly facts: Pick<ServiceFacts, "inboxPorts">;
}

export function faults({ faults, inboxes, facts }: FaultsOptions) {
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
  return new Elysia({ prefix: "/api/v1" })
    .get("/faults", ({ request }) => list(request), LIST)
    .put(
      "/faults",
      async ({ request, body: { rules } }): Promise<FaultList> => {
        for (const [index, rule] of rules.entries())
          await refuseWrongInbox(rule, scopeOf(request), `rules.${index}.`);
        faults.replace(rules, scopeOf(request));
        return list(request);
      },
      REPLACE,
    )
    .post(
      "/faults",
      async ({ request, body, set }): Promise<Fault> => {
        await refuseWrongInbox(body, scopeOf(request));
        set.status = 201;
        return faults.add(body, scopeOf(request));
      },
      ADD,
    )
    .delete(
      "/faults",
      ({ request }) => {
        faults.replace([], scopeOf(request));
        return gone();
      },
      CLEAR,
    )
    .delete(
      "/faults/:name",
      ({ request, params: { name } }) => {
        if (!faults.remove(name, scopeOf(request))) throw unknownFault(name);
        return gone();
      },
      DELETE,
    );
}
