// Forwarding a message to a real SMTP server.
import { Elysia } from "elysia";
import { ReleaseReceipt, ReleaseRequest } from "../../../model/index.ts";
import { operation } from "../../openapi/operation.ts";
import { BAD_BODY, jsonAnswer, problem, UNKNOWN_MESSAGE } from "../../openapi/responses.ts";
import { invalidField, Problem } from "../../problem.ts";
import type { Parts } from "../parts.ts";

const RELEASE = operation({
  operationId: "releaseMessage",
  summary: "Forward to a real SMTP server",
  description:
    "Bytes and envelope go out unchanged, unless `to` or `from` replace it; a mail that was stored without a line " +
    "break at its end (only BDAT can do that) gets CR LF there. The message stays stored. A password is sent only " +
    "with TLS, unless `tls` is `none`.",
  tags: ["Release"],
  body: ReleaseRequest,
  responses: {
    200: jsonAnswer("The server took it.", ReleaseReceipt),
    ...BAD_BODY,
    403: problem(
      "Forwarding is turned off, or not allowed to this target; or the page's origin is foreign.",
      new Problem(403, "release_disabled", "Forwarding is turned off here."),
    ),
    ...UNKNOWN_MESSAGE,
    502: problem(
      "The server refused the message or could not be reached.",
      new Problem(502, "release_refused", "smtp.example.com:587 refused: 550 5.1.1 no such user"),
    ),
    504: problem(
      "The server did not answer in time.",
      new Problem(504, "release_timeout", "smtp.example.com:587 did not answer in time."),
    ),
  },
});

export function release({ release, keepOpen }: Pick<Parts, "release" | "keepOpen">) {
  return new Elysia().post(
    "/api/v1/messages/:id/release",
    ({ request, params: { id }, body }): Promise<ReleaseReceipt> => {
      checkCredentials(body);
      keepOpen(request);
      return release.send(id, body);
    },
    RELEASE,
  );
}

function checkCredentials({ username, password }: ReleaseRequest): void {
  if (username !== undefined && password === undefined) throw invalidField("username", "needs a password");
  if (password !== undefined && username === undefined) throw invalidField("password", "needs a username");
}
