// The WebSocket route: reads what the client wants, then hands it to the stream.
import { InboxEvent } from "../../model/index.ts";
import { scopeOf } from "../caller.ts";
import { operation, route, routes } from "../openapi/operation.ts";
import { always, problem } from "../openapi/responses.ts";
import { boolean, choice, integer, invalid, query, withDefault } from "../parameters.ts";
import { type EventStreams, NO_HANDSHAKE, TOO_MANY_CLIENTS } from "../websocket/streams.ts";

const STREAM = operation("streamEvents", "GET /api/v1/ws", "read", {
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
    "When an inbox is removed, clients that see only that inbox are closed with 4004. When a token ends, or one of its",
    "inboxes is removed, its clients are closed with 4003.",
  ].join("\n"),
  query: query({
    resume: withDefault(false, boolean("Frames carry `seq`.")),
    since: integer("Replay what came after this `seq`; implies `resume=true`.", { format: "int64" }),
    include: choice(["preview"], "`preview` adds `data.preview` to `message:new`."),
  }),
  responses: {
    101: {
      description: "Switching Protocols; the frames are described by this schema.",
      content: { "application/json": { schema: InboxEvent } },
    },
    ...problem("A parameter or the handshake is malformed.", invalid("resume", "1", "true or false")),
    ...problem(
      "The request is no WebSocket handshake, or one of another version than 13.",
      NO_HANDSHAKE,
      // RFC 6455, 4.2.2.
      {
        headers: {
          Upgrade: always("The protocol that is spoken here.", "websocket"),
          Connection: always("Belongs to Upgrade.", "upgrade"),
          "Sec-WebSocket-Version": always("The version that is spoken here.", "13"),
        },
      },
    ),
    ...problem("As many clients as allowed are connected.", TOO_MANY_CLIENTS, {
      headers: { "Retry-After": always("Seconds after which to try again.", "5") },
    }),
  },
});

export function events(streams: EventStreams) {
  return routes(
    "Events",
    route(STREAM, async ({ request, query: { resume, since, include } }) => {
      if (since !== undefined) await streams.catchUp();
      streams.upgrade(request, scopeOf(request), {
        preview: include === "preview",
        resume: resume || since !== undefined,
        since,
      });
    }),
  );
}
