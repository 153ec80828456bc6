// What the service says about itself.
import { type Static, Type } from "@sinclair/typebox";
import { DeliveryState } from "./delivery.ts";
import { ApiError } from "./error.ts";
import { Int64 } from "./int64.ts";

const closed = { additionalProperties: false };
const Address = Type.Object({ host: Type.String(), port: Type.Integer() }, closed);

export const ServiceInfo = Type.Object(
  {
    name: Type.Literal("mailkeep"),
    version: Type.String(),
    commit: Type.String({ description: "Commit it was built from; empty when unknown." }),
    started_at: Type.String({ format: "date-time" }),
    time: Type.String({
      format: "date-time",
      description: "Now, by the clock that `created_at` is taken from.",
    }),
    uptime_seconds: Type.Integer({ minimum: 0 }),
    smtp: Address,
    smtps: Type.Union([Address, Type.Null()], { description: "`null` without `--smtps-port`." }),
    http: Address,
    messages: Type.Object(
      { total: Type.Integer({ minimum: 0 }), unread: Type.Integer({ minimum: 0 }) },
      closed,
    ),
    store: Type.Object(
      {
        kind: Type.Union([Type.Literal("file"), Type.Literal("memory"), Type.Literal("postgres")]),
        message_bytes: Int64({ minimum: 0, description: "Bytes of raw mail that is alive." }),
        store_bytes: Int64({ minimum: 0, description: "Bytes occupied, indexes included." }),
      },
      closed,
    ),
    events: Type.Object(
      {
        websockets: Type.Integer({ minimum: 0, description: "Clients connected now." }),
        seq: Int64({ description: "Number of the latest event; pass it as `since` to the WebSocket." }),
      },
      closed,
    ),
    release_enabled: Type.Boolean(),
    relay: Type.Union([Type.Object({ host: Type.String(), port: Type.Integer() }, closed), Type.Null()], {
      description: "The server of `--relay`, which takes what is released without naming one.",
    }),
    relaying: Type.Union([DeliveryState, Type.Null()], {
      description: "How new mail is forwarded; `null` without `--relay-allow`.",
    }),
  },
  {
    $id: "ServiceInfo",
    ...closed,
    examples: [
      {
        name: "mailkeep",
        version: "1.0.0",
        commit: "3f2a9c1",
        started_at: "2026-11-14T09:00:00.000Z",
        time: "2026-11-14T10:00:00.123Z",
        uptime_seconds: 3600,
        smtp: { host: "127.0.0.1", port: 1025 },
        smtps: null,
        http: { host: "127.0.0.1", port: 8025 },
        messages: { total: 3, unread: 1 },
        store: { kind: "file", message_bytes: 6144, store_bytes: 65536 },
        events: { websockets: 1, seq: 1794646800000003 },
        release_enabled: true,
        relay: null,
        relaying: null,
      },
    ],
  },
);
export type ServiceInfo = Static<typeof ServiceInfo>;

const checks = Type.Record(Type.String(), Type.String(), {
  description: "`ok` or the reason, for each part.",
});

export const HealthReport = Type.Object(
  { status: Type.Literal("ok"), checks },
  {
    $id: "HealthReport",
    ...closed,
    examples: [{ status: "ok", checks: { http: "ok", store: "ok", smtp: "ok" } }],
  },
);
export type HealthReport = Static<typeof HealthReport>;

export const FailingHealthReport = Type.Object(
  {
    status: Type.Union([Type.Literal("failing"), Type.Literal("starting")], {
      description: "`starting` while a node of several reads the log.",
    }),
    checks,
    ...ApiError.properties,
  },
  {
    $id: "FailingHealthReport",
    ...closed,
    examples: [
      {
        status: "failing",
        checks: { http: "ok", store: "ok", smtp: "SMTP did not answer" },
        error: "Not everything works: smtp.",
        code: "unhealthy",
      },
    ],
  },
);
export type FailingHealthReport = Static<typeof FailingHealthReport>;
