// The SMTP transcripts of mails, and refused mail.
import { Elysia } from "elysia";
import { RejectionList, Transcript } from "../../model/index.ts";
import { operation } from "../openapi/operation.ts";
import { BAD_PARAMETER, EXAMPLE_ID, jsonAnswer, problem } from "../openapi/responses.ts";
import { integer, query, withDefault } from "../parameters.ts";
import { known, Problem, quote } from "../problem.ts";
import { scopeOf } from "../scope.ts";
import type { Dependencies } from "./dependencies.ts";

const NO_TRANSCRIPT = new Problem(
  404,
  "no_transcript",
  "This message has no transcript: it did not come by SMTP, or not among the last 1,000 mails since Mailkeep was started.",
);

const unknownRejection = (id: string) =>
  new Problem(404, "unknown_rejection", `No rejection has the id ${quote(id)}.`);

const TRANSCRIPT = operation({
  operationId: "getTranscript",
  summary: "The SMTP transcript of a message",
  description:
    "Commands and replies of the SMTP session, with passwords hidden. Kept in memory, of the last 1,000 mails.",
  tags: ["Faults"],
  responses: {
    200: jsonAnswer("The session.", Transcript),
    404: problem("No message has this id, or it has no transcript (`no_transcript`).", NO_TRANSCRIPT),
  },
});

const REJECTIONS = operation({
  operationId: "listRejections",
  summary: "What was refused",
  description:
    "Every 4xx and 5xx of the SMTP server, every connection that it dropped, and every client that left in the middle of a mail; the last 1,000.",
  tags: ["Faults"],
  query: query({
    limit: withDefault(50, integer("At most this many; clamped into 1..1000.", { from: 1, to: 1000 })),
  }),
  responses: { 200: jsonAnswer("The rejections.", RejectionList), ...BAD_PARAMETER },
});

const REJECTION_TRANSCRIPT = operation({
  operationId: "getRejectionTranscript",
  summary: "The SMTP transcript of a rejection",
  tags: ["Faults"],
  responses: {
    200: jsonAnswer("The session.", Transcript),
    404: problem("No rejection has this id.", unknownRejection(EXAMPLE_ID)),
  },
});

export function sessions({ mailOf, transcripts }: Pick<Dependencies, "mailOf" | "transcripts">) {
  return new Elysia({ prefix: "/api/v1" })
    .get(
      "/messages/:id/transcript",
      async ({ request, params: { id } }): Promise<Transcript> => {
        await known(id, mailOf(request).get(id));
        const transcript = transcripts.ofMail(id);
        if (!transcript) throw NO_TRANSCRIPT;
        return transcript;
      },
      TRANSCRIPT,
    )
    .get(
      "/rejections",
      ({ request, query: { limit } }): RejectionList => transcripts.rejections(limit, scopeOf(request)),
      REJECTIONS,
    )
    .get(
      "/rejections/:rid/transcript",
      ({ request, params: { rid } }): Transcript => {
        const transcript = transcripts.ofRejection(rid, scopeOf(request));
        if (!transcript) throw unknownRejection(rid);
        return transcript;
      },
      REJECTION_TRANSCRIPT,
    );
}
