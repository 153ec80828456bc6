// Faults on purpose: rules by which the SMTP server refuses mail, delays replies and drops connections. Also
// transcripts and rejections.
import type { FaultStage } from "../../lib/smtp.ts";
import { nearest } from "../../lib/text.ts";
import {
  DEFAULT_INBOX,
  Fault,
  FaultList,
  FaultRule,
  FaultRuleList,
  RejectionList,
  Transcript,
} from "../../model/index.ts";
import type { Scope } from "../../store/index.ts";
import { scopeOf } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { EXAMPLE_ID, jsonAnswer, problem } from "../openapi/responses.ts";
import { integer, query, withDefault } from "../parameters.ts";
import { invalidField, known, notFound, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

const unknownFault = (name: string) => notFound("unknown_fault", `No rule has the name ${quote(name)}.`);

const GONE = { 204: { description: "Gone." } };

const NO_TRANSCRIPT = notFound(
  "no_transcript",
  "This message has no transcript: it did not arrive by SMTP, or 1,000 mails have arrived since, or Mailkeep was restarted.",
);

const unknownRejection = (id: string) =>
  notFound("unknown_rejection", `No rejection has the id ${quote(id)}.`);

/** These stages come before the login, so only the port tells which inbox is meant. */
const BEFORE_AUTH: readonly FaultStage[] = ["connect", "ehlo", "starttls"];

export function faults({ faults, inboxes, facts, transcripts, mailOf }: Dependencies) {
  /** Refuses a rule that would never apply: its inbox does not exist, or is not yet known at its stage. */
  const refuseWrongInbox = async (rule: FaultRule, scope: Scope, path = ""): Promise<void> => {
    const { at, inbox = scope?.[0] } = rule;
    if (inbox === undefined) return;
    if (scope === null && !(await inboxes.has(inbox))) {
      const names = (await inboxes.list(null)).map(({ name }) => name);
      throw invalidField(
        `${path}inbox`,
        `names an inbox that does not exist; the nearest is ${nearest(inbox, names)}`,
      );
    }
    if (!BEFORE_AUTH.includes(at) || inbox === DEFAULT_INBOX || facts.inboxPorts().has(inbox)) return;
    throw invalidField(
      `${path}at`,
      `cannot be ${at} for the inbox ${inbox}: the inbox has no SMTP port of its own, so it is known only from auth on`,
    );
  };
  const list = (request: Request): FaultList => ({ rules: faults.list(scopeOf(request)) });
  return routes(
    "Faults",
    route("listFaults", "GET /api/v1/faults", "read", {
      summary: "The rules, and how often each was applied",
      description:
        "A rule that was applied `times` times stays in the list. So do the last 100 expired rules, at the end.",
      responses: { 200: jsonAnswer("The rules.", FaultList) },
      answer: ({ request }) => list(request),
    }),
    route("replaceFaults", "PUT /api/v1/faults", "inbox", {
      summary: "Replace all rules",
      description:
        "Only the first rule that hits is applied. Counts start at 0. If a rule is invalid the answer is 400, and all rules stay " +
        "as they were.",
      body: FaultRuleList,
      responses: { 200: jsonAnswer("The rules.", FaultList) },
      answer: async ({ request, body: { rules } }): Promise<FaultList> => {
        for (const [index, rule] of rules.entries())
          await refuseWrongInbox(rule, scopeOf(request), `rules.${index}.`);
        faults.replace(rules, scopeOf(request));
        return list(request);
      },
    }),
    route("addFault", "POST /api/v1/faults", "inbox", {
      summary: "Add a rule",
      description: "It comes after the others, whose counts continue. Its name must be new.",
      body: FaultRule,
      responses: { 201: jsonAnswer("The rule.", Fault) },
      answer: async ({ request, body }): Promise<Fault> => {
        await refuseWrongInbox(body, scopeOf(request));
        return faults.add(body, scopeOf(request));
      },
    }),
    route("deleteFaults", "DELETE /api/v1/faults", "inbox", {
      summary: "Remove all rules",
      responses: GONE,
      answer: ({ request }) => faults.replace([], scopeOf(request)),
    }),
    route("deleteFault", "DELETE /api/v1/faults/:name", "inbox", {
      summary: "Remove a rule",
      responses: { ...GONE, ...problem("No rule has this name.", unknownFault("busy")) },
      answer: ({ request, params: { name } }) => {
        if (!faults.remove(name, scopeOf(request))) throw unknownFault(name);
      },
    }),
    route("getTranscript", "GET /api/v1/messages/:id/transcript", "read", {
      summary: "The SMTP transcript of a message",
      description:
        "Commands and replies of the SMTP session, with passwords hidden. Kept in memory for the last 1,000 mails.",
      responses: {
        200: jsonAnswer("The session.", Transcript),
        ...problem("No message has this id, or it has no transcript (`no_transcript`).", NO_TRANSCRIPT),
      },
      answer: async ({ request, params: { id } }): Promise<Transcript> => {
        await known(id, mailOf(request).get(id));
        const transcript = transcripts.ofMail(id);
        if (!transcript) throw NO_TRANSCRIPT;
        return transcript;
      },
    }),
    route("listRejections", "GET /api/v1/rejections", "read", {
      summary: "What was refused",
      description:
        "Every 4xx and 5xx of the SMTP server, every connection that it dropped, and every client that left in the middle of a mail; the last 1,000.",
      query: query({
        limit: withDefault(50, integer("At most this many; clamped into 1..1000.", { from: 1, to: 1000 })),
      }),
      responses: { 200: jsonAnswer("The rejections.", RejectionList) },
      answer: ({ request, query: { limit } }): RejectionList =>
        transcripts.rejections(limit, scopeOf(request)),
    }),
    route("getRejectionTranscript", "GET /api/v1/rejections/:rid/transcript", "read", {
      summary: "The SMTP transcript of a rejection",
      responses: {
        200: jsonAnswer("The session.", Transcript),
        ...problem("No rejection has this id.", unknownRejection(EXAMPLE_ID)),
      },
      answer: ({ request, params: { rid } }): Transcript => {
        const transcript = transcripts.ofRejection(rid, scopeOf(request));
        if (!transcript) throw unknownRejection(rid);
        return transcript;
      },
    }),
  );
}
