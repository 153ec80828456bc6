// Faults on purpose: the rules by which the SMTP server refuses, delays and drops.
import { Elysia } from "elysia";
import { FaultRuleError } from "../../app/index.ts";
import { nearest } from "../../lib/nearest.ts";
import { Fault, FaultList, FaultRule, FaultRuleList } from "../../model/index.ts";
import { operation } from "../openapi/operation.ts";
import { BAD_BODY, jsonAnswer, NO_STORE, problem } from "../openapi/responses.ts";
import { Problem, quote } from "../problem.ts";
import { scopeOf } from "../scope.ts";
import type { Dependencies } from "./dependencies.ts";

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

export function faults({ faults, inboxes }: Pick<Dependencies, "faults" | "inboxes">) {
  /** A rule with a misspelt inbox would never strike. */
  const refuseUnknownInbox = async ({ inbox }: FaultRule, field = "inbox"): Promise<void> => {
    if (inbox === undefined || (await inboxes.has(inbox))) return;
    const names = (await inboxes.list(null)).map(({ name }) => name);
    throw new FaultRuleError(field, `names no inbox; the nearest is ${nearest(inbox, names)}`);
  };
  const list = (request: Request): FaultList => ({ rules: faults.list(scopeOf(request)) });
  return new Elysia({ prefix: "/api/v1" })
    .get("/faults", ({ request }) => list(request), LIST)
    .put(
      "/faults",
      async ({ request, body: { rules } }): Promise<FaultList> => {
        if (scopeOf(request) === null)
          for (const [index, rule] of rules.entries()) await refuseUnknownInbox(rule, `rules.${index}.inbox`);
        faults.replace(rules, scopeOf(request));
        return list(request);
      },
      REPLACE,
    )
    .post(
      "/faults",
      async ({ request, body, set }): Promise<Fault> => {
        if (scopeOf(request) === null) await refuseUnknownInbox(body);
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
