// Releasing a message to a real SMTP server, and asking whether it was relayed.
import { RELEASE_FIELD_NEEDS, RelayOutcome, ReleaseReceipt, ReleaseRequest } from "../../../model/index.ts";
import { route, routes } from "../../openapi/operation.ts";
import { jsonAnswer, problem } from "../../openapi/responses.ts";
import { invalidField, known, Problem } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

export function release({ release, relaying, mailOf, keepOpen }: Dependencies) {
  return routes(
    "Release",
    route("releaseMessage", "POST /api/v1/messages/:id/release", "write", {
      summary: "Release to a real SMTP server",
      description:
        "Sends the mail on by hand. Without a `host` it goes to the server of `--relay`, and there only to recipients " +
        "that its rules allow. Bytes and envelope go out unchanged, unless `to` or `from` replace it; a mail that was stored " +
        "without a line break at its end (only BDAT can do that) gets CR LF there. The message stays stored. A password " +
        "is sent only with TLS, unless `tls` is `none`.",
      body: ReleaseRequest,
      responses: {
        200: jsonAnswer("The server took it.", ReleaseReceipt),
        ...problem(
          "Releasing is turned off, or not allowed to this target; or the page's origin is foreign.",
          new Problem(403, "release_disabled", "Releasing mail is turned off here."),
        ),
        ...problem(
          "The server refused the message or could not be reached.",
          new Problem(502, "release_refused", "smtp.example.com:587 refused: 550 5.1.1 no such user"),
        ),
        ...problem(
          "The server did not answer in time.",
          new Problem(504, "release_timeout", "smtp.example.com:587 did not answer in time."),
        ),
      },
      answer: async ({ request, params: { id }, body }): Promise<ReleaseReceipt> => {
        await known(id, mailOf(request).get(id));
        checkTogether(body, release.hasRelay);
        keepOpen(request);
        return release.send(id, body);
      },
    }),
    route("getRelayOutcome", "GET /api/v1/messages/:id/relay", "read", {
      summary: "Whether the message was relayed",
      description: [
        "| status | |",
        "|---|---|",
        "| `off` | new mail is not relayed here (`--relay`, `--relay-allow`) |",
        "| `none` | no rule relays it, or it is not among the latest 1,000 relayed mails |",
        "| `waiting` | it will be tried again for the recipients that are neither `accepted` nor `rejected` |",
        "| `relayed` | the server took it, for the `accepted` recipients |",
        "| `failed` | the server refused it for good, or it was given up after a day |",
        "| `skipped` | it was deleted before its turn |",
      ].join("\n"),
      responses: { 200: jsonAnswer("Its state.", RelayOutcome) },
      answer: async ({ request, params: { id } }): Promise<RelayOutcome> => {
        await known(id, mailOf(request).get(id));
        return relayOutcome(id, relaying);
      },
    }),
  );
}

function relayOutcome(id: string, relaying: Dependencies["relaying"]): RelayOutcome {
  const nothing = { tries: 0, at: null, accepted: [], rejected: [], response: null, reason: null };
  if (relaying === null) return { ...nothing, status: "off" };
  const found = relaying.outcomeOf(id);
  if (found === undefined) return { ...nothing, status: "none" };
  const { status, at, tries, accepted = [], rejected = [], response = null, reason = null } = found;
  const isWaiting = status === "waiting";
  return {
    status: status === "delivered" ? "relayed" : status,
    tries,
    at: isWaiting ? null : at,
    accepted: [...accepted],
    rejected: [...rejected],
    response,
    reason,
  };
}

function checkTogether(body: ReleaseRequest, hasRelay: boolean): void {
  if (body.host === undefined && !hasRelay)
    throw invalidField("host", "is missing, and --relay names no server");
  for (const [name, needed] of Object.entries(RELEASE_FIELD_NEEDS)) {
    const missing = needed.find((other) => body[other] === undefined);
    if (body[name as keyof ReleaseRequest] !== undefined && missing !== undefined)
      throw invalidField(name, `needs a ${missing}`);
  }
}
