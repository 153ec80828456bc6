// Forwarding a message to a real SMTP server.
import { Elysia } from "elysia";
import type { Release } from "../../../app/index.ts";
import { ReleaseReceipt, ReleaseRequest } from "../../../model/index.ts";
import { documented, jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import { MESSAGE_ID } from "../../openapi/parameters.ts";
import { NO_STORE_HEADER } from "../../openapi/response-headers.ts";
import { BAD_BODY, UNKNOWN_MESSAGE } from "../../openapi/shared-responses.ts";
import { invalidField, NO_OBJECT, Problem } from "../../problem.ts";

const RELEASE_DOC: OperationSpec = {
  operationId: "releaseMessage",
  summary: "Forward to a real SMTP server",
  description:
    "Bytes and envelope go out unchanged, unless `to` or `from` replace it; a mail that was stored without a line " +
    "break at its end (only BDAT can do that) gets CR LF there. The message stays stored.",
  tags: ["Release"],
  parameters: [MESSAGE_ID],
  requestBody: {
    required: true,
    schema: ReleaseRequest,
    example: { host: "smtp.example.com", port: 587, tls: "starttls" },
  },
  responses: {
    200: jsonAnswer("The server took it.", ReleaseReceipt, NO_STORE_HEADER),
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
};

export interface ReleaseModuleOptions {
  readonly release: Release;
  readonly keepOpen: (request: Request) => void;
}

export function release({ release, keepOpen }: ReleaseModuleOptions) {
  return new Elysia().post(
    "/api/v1/messages/:id/release",
    ({ request, params: { id }, body }): Promise<ReleaseReceipt> => {
      checkCredentials(body);
      keepOpen(request);
      return release.send(id, body);
    },
    { transform: ({ body }) => checkIsObject(body), body: ReleaseRequest, ...documented(RELEASE_DOC) },
  );
}

/** Before the defaults of the schema are filled in: they make an object of anything. */
function checkIsObject(body: unknown): void {
  if (body === null || typeof body !== "object" || Array.isArray(body)) throw NO_OBJECT;
}

function checkCredentials({ username, password }: ReleaseRequest): void {
  if (username !== undefined && password === undefined) throw invalidField("username", "needs a password");
  if (password !== undefined && username === undefined) throw invalidField("password", "needs a username");
}
