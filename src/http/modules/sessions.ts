// The SMTP transcripts of mails, and refused mail.
import { RejectionList, Transcript } from "../../model/index.ts";
import { scopeOf } from "../caller.ts";
import { operation, route, routes } from "../openapi/operation.ts";
import { EXAMPLE_ID, jsonAnswer, problem } from "../openapi/responses.ts";
import { integer, query, withDefault } from "../parameters.ts";
import { known, Problem, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

const NO_TRANSCRIPT = new Problem(
  404,
  "no_transcript",
  "This message has no transcript: it did not come by SMTP, or not among the last 1,000 mails since Mailkeep was started.",
);

const unknownRejection = (id: string) =>
  new Problem(404, "unknown_rejection", `No rejection has the id ${quote(id)}.`);

const TRANSCRIPT = operation("GET /api/v1/messages/:id/transcript", "read", "Faults", {
  operationId: "getTranscript",
  summary: "The SMTP transcript of a message",
  description:
    "Commands and replies of the SMTP session, with passwords hidden. Kept in memory, of the last 1,000 mails.",
  responses: {
    200: jsonAnswer("The session.", Transcript),
    404: problem("No message has this id, or it has no transcript (`no_transcript`).", NO_TRANSCRIPT),
  },
});

const REJECTIONS = operation("GET /api/v1/rejections", "read", "Faults", {
  operationId: "listRejections",
  summary: "What was refused",
  description:
    "Every 4xx and 5xx of the SMTP server, every connection that it dropped, and every client that left in the middle of a mail; the last 1,000.",
  query: query({
    limit: withDefault(50, integer("At most this many; clamped into 1..1000.", { from: 1, to: 1000 })),
  }),
  responses: { 200: jsonAnswer("The rejections.", RejectionList) },
});

const REJECTION_TRANSCRIPT = operation("GET /api/v1/rejections/:rid/transcript", "read", "Faults", {
  operationId: "getRejectionTranscript",
  summary: "The SMTP transcript of a rejection",
  responses: {
    200: jsonAnswer("The session.", Transcript),
    404: problem("No rejection has this id.", unknownRejection(EXAMPLE_ID)),
  },
});

export function sessions({ mailOf, transcripts }: Pick<Dependencies, "mailOf" | "transcripts">) {
  return routes(
    route(TRANSCRIPT, async ({ request, params: { id } }): Promise<Transcript> => {
      await known(id, mailOf(request).get(id));
      const transcript = transcripts.ofMail(id);
      if (!transcript) throw NO_TRANSCRIPT;
      return transcript;
    }),
    route(
      REJECTIONS,
      ({ request, query: { limit } }): RejectionList => transcripts.rejections(limit, scopeOf(request)),
    ),
    route(REJECTION_TRANSCRIPT, ({ request, params: { rid } }): Transcript => {
      const transcript = transcripts.ofRejection(rid, scopeOf(request));
      if (!transcript) throw unknownRejection(rid);
      return transcript;
    }),
  );
}
