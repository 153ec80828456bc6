// Information about the service, and the usual body of an error.
import { type Static, Type } from "@sinclair/typebox";
import { DeliveryState } from "./delivery.ts";
import { Closed, Count, Int64, Named, OneOf, OrNull, Time } from "./schema.ts";

export const ApiError = Named(
  "Error",
  {
    error: Type.String({ description: "A sentence for a person." }),
    code: Type.String({ description: "A word for a program." }),
  },
  { error: 'Parameter limit must be an integer such as 10, not "ten".', code: "invalid_parameter" },
);
export type ApiError = Static<typeof ApiError>;

const Address = Closed({ host: Type.String(), port: Type.Integer() });

export const ServiceInfo = Named("ServiceInfo", {
  name: Type.Literal("mailkeep"),
  version: Type.String(),
  commit: Type.String({ description: "Commit it was built from; empty when unknown." }),
  started_at: Time,
  time: Type.String({ ...Time, description: "Now, by the clock that `created_at` is taken from." }),
  uptime_seconds: Count(),
  smtp: Address,
  smtps: OrNull(Address, "`null` without `--smtps-port`."),
  http: Address,
  messages: Closed({ total: Count(), unread: Count() }),
  store: Closed({
    kind: OneOf(["file", "memory", "postgres"]),
    message_bytes: Int64({ minimum: 0, description: "Bytes of raw mail that is alive." }),
    store_bytes: Int64({ minimum: 0, description: "Bytes occupied, indexes included." }),
  }),
  events: Closed({
    websockets: Count("Clients connected now."),
    seq: Int64({ description: "Number of the latest event; pass it as `since` to the WebSocket." }),
  }),
  release_enabled: Type.Boolean(),
  relay: OrNull(Address, "The server named by `--relay`. It takes what is released without a `host`."),
  relaying: OrNull(DeliveryState, "How new mail is relayed; `null` without `--relay-allow`."),
});
export type ServiceInfo = Static<typeof ServiceInfo>;

const checks = Type.Record(Type.String(), Type.String(), {
  description: "`ok` or the reason, for each part.",
});

export const HealthReport = Named("HealthReport", { status: Type.Literal("ok"), checks });
export type HealthReport = Static<typeof HealthReport>;

export const FailingHealthReport = Named("FailingHealthReport", {
  status: OneOf(["failing", "starting"], "`starting` while a node of several reads the log."),
  checks,
  ...ApiError.properties,
});
export type FailingHealthReport = Static<typeof FailingHealthReport>;
