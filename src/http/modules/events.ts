// The WebSocket route: reads what the client wants, then hands it to the stream.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { InboxEvent } from "../../model/index.ts";
import { documented, type OperationSpec, problem } from "../openapi/operation.ts";
import { RETRY_HEADER, UPGRADE_HEADERS } from "../openapi/response-headers.ts";
import { wantsPreview } from "../previews.ts";
import { invalid, QueryString } from "../query-string.ts";
import { type EventStream, NO_HANDSHAKE, TOO_MANY_CLIENTS } from "../websocket/event-stream.ts";

const WS_DOC: OperationSpec = {
  operationId: "streamEvents",
  summary: "Inbox events over a WebSocket",
  description: [
    "The server sends JSON text frames, each an `InboxEvent`: exactly `type` and, except for `messages:clear`, `data`.",
    "The order of the frames is the order of the changes. Clients need not send anything; the server pings.",
    "",
    "| type | when |",
    "|---|---|",
    "| `message:new` | a mail was stored |",
    "| `message:read`, `message:starred`, `message:tags` | a PATCH carried that field |",
    "| `message:delete` | one message was deleted, by a client or by retention |",
    "| `messages:clear` | all were deleted |",
    "",
    "With `resume=true` each frame also carries `seq`. After a lost connection, `since=<seq>` replays what was missed,",
    "or closes with 4001 when that is no longer in the history: reload the list.",
    "A client too slow to keep up (4 MiB wait for it) is closed with 1013 when it has read what was on its way:",
    "reload the list and connect again. One that reads nothing for 30 seconds is cut off without a code.",
  ].join("\n"),
  tags: ["Events"],
  parameters: [
    {
      name: "resume",
      in: "query",
      description: "Frames carry `seq`.",
      schema: Type.Boolean({ default: false }),
    },
    {
      name: "since",
      in: "query",
      description: "Replay what came after this `seq`; implies `resume=true`.",
      schema: Type.Integer({ format: "int64" }),
    },
    {
      name: "include",
      in: "query",
      description: "`preview` adds `data.preview` to `message:new`.",
      schema: Type.Literal("preview"),
    },
  ],
  responses: {
    101: {
      description: "Switching Protocols; the frames are described by this schema.",
      content: { "application/json": { schema: InboxEvent } },
    },
    400: problem("A parameter or the handshake is malformed.", invalid("resume", "1", "true or false")),
    426: problem(
      "The request is no WebSocket handshake, or one of another version than 13.",
      NO_HANDSHAKE,
      UPGRADE_HEADERS,
    ),
    503: problem("As many clients as allowed are connected.", TOO_MANY_CLIENTS, RETRY_HEADER),
  },
};

export function events(stream: EventStream) {
  return new Elysia().get(
    "/api/v1/ws",
    ({ request }) => {
      const query = new QueryString(request.url);
      const since = query.integer("since");
      const resume = query.boolean("resume") ?? false;
      stream.upgrade(request, { preview: wantsPreview(query), resume: resume || since !== undefined, since });
    },
    documented(WS_DOC),
  );
}
