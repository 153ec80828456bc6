// The state of webhooks and the relay, as the API shows it.
import { type Static, Type } from "@sinclair/typebox";
import { Closed, Count, Named, OneOf, OrNull, Time } from "./schema.ts";

export const DeliveryState = Closed({
  origin: Type.String({ description: "Scheme, host and port; the rest may be secret." }),
  state: OneOf(["idle", "sending", "retrying"]),
  waiting: Count("Mails still to be delivered, including the current one; they survive a restart."),
  delivered: Count("Taken by the receiver, since the start."),
  failed: Count("Refused, or given up after a day, since the start."),
  skipped: Count("Deleted before their turn, since the start."),
  last_delivery: OrNull(Time, "When a mail was last taken."),
  last_error: OrNull(Closed({ at: Time, reason: Type.String() })),
  next_try: OrNull(Time, "When a mail that failed is tried again."),
});
export type DeliveryState = Static<typeof DeliveryState>;

export const Webhook = Closed({
  ...DeliveryState.properties,
  format: OneOf(["event", "slack"]),
  filter: Type.String({ description: "As configured; empty for every mail." }),
  signed: Type.Boolean({ description: "Whether there is a secret." }),
});
export type Webhook = Static<typeof Webhook>;

export const WebhookList = Named("WebhookList", { webhooks: Type.Array(Webhook) });
export type WebhookList = Static<typeof WebhookList>;

export const RelayOutcome = Named("RelayOutcome", {
  status: OneOf(
    ["off", "none", "waiting", "relayed", "failed", "skipped"],
    "See the description of the route.",
  ),
  tries: Count("Number of tries; a restart may reset it."),
  at: OrNull(Time, "When it was relayed, given up or skipped."),
  accepted: Type.Array(Type.String(), { description: "Recipients that the server took." }),
  rejected: Type.Array(Type.String(), { description: "Recipients that the server refused." }),
  response: OrNull(Type.String(), "The server's answer to the message."),
  reason: OrNull(Type.String(), "Why it failed or waits, or why recipients were refused."),
});
export type RelayOutcome = Static<typeof RelayOutcome>;
