// The state of webhooks and the relay, as the API shows it.
import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Time = (description: string) =>
  Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description });

const deliveryState = {
  origin: Type.String({ description: "Scheme, host and port; the rest may be secret." }),
  state: Type.Union([Type.Literal("idle"), Type.Literal("sending"), Type.Literal("retrying")]),
  waiting: Count("Mails still to be delivered, including the current one; they survive a restart."),
  delivered: Count("Taken by the receiver, since the start."),
  failed: Count("Refused, or given up after a day, since the start."),
  skipped: Count("Deleted, or no longer matching the filter, before their turn; since the start."),
  last_delivery: Time("When a mail was last taken."),
  last_error: Type.Union([
    Type.Object({ at: Type.String({ format: "date-time" }), reason: Type.String() }, closed),
    Type.Null(),
  ]),
  next_try: Time("When a mail that failed is tried again."),
};

export const DeliveryState = Type.Object(deliveryState, closed);
export type DeliveryState = Static<typeof DeliveryState>;

export const Webhook = Type.Object(
  {
    ...deliveryState,
    format: Type.Union([Type.Literal("event"), Type.Literal("slack")]),
    filter: Type.String({ description: "As configured; empty for every mail." }),
    signed: Type.Boolean({ description: "Whether there is a secret." }),
  },
  closed,
);
export type Webhook = Static<typeof Webhook>;

export const WebhookList = Type.Object(
  { webhooks: Type.Array(Webhook) },
  {
    $id: "WebhookList",
    ...closed,
    examples: [
      {
        webhooks: [
          {
            origin: "https://ci.example.com",
            state: "retrying",
            waiting: 2,
            delivered: 40,
            failed: 0,
            skipped: 0,
            last_delivery: "2026-11-14T09:59:00.000Z",
            last_error: { at: "2026-11-14T10:00:00.000Z", reason: "HTTP status 503" },
            next_try: "2026-11-14T10:00:04.000Z",
            format: "event",
            filter: "tag=order",
            signed: true,
          },
        ],
      },
    ],
  },
);
export type WebhookList = Static<typeof WebhookList>;

export const RelayOutcome = Type.Object(
  {
    status: Type.Union(
      ["off", "none", "waiting", "relayed", "failed", "skipped"].map((word) => Type.Literal(word)),
      { description: "See the description of the route." },
    ),
    tries: Count("Number of tries; a restart may reset it."),
    at: Time("When it was relayed, given up or skipped."),
    accepted: Type.Array(Type.String(), { description: "Recipients that the server took." }),
    rejected: Type.Array(Type.String(), { description: "Recipients that the server refused." }),
    response: Type.Union([Type.String(), Type.Null()], {
      description: "The server's answer to the message.",
    }),
    reason: Type.Union([Type.String(), Type.Null()], { description: "Why it failed, or waits." }),
  },
  {
    $id: "RelayOutcome",
    ...closed,
    examples: [
      {
        status: "relayed",
        tries: 1,
        at: "2026-11-14T10:00:00.000Z",
        accepted: ["alice@example.com"],
        rejected: [],
        response: "250 OK",
        reason: null,
      },
    ],
  },
);
export type RelayOutcome = Static<typeof RelayOutcome>;
