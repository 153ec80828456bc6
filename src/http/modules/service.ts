// Information about the server, and its health.
import { Elysia } from "elysia";
import {
  FailingHealthReport,
  HealthReport,
  ServiceInfo,
  type Webhook,
  WebhookList,
} from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { operation } from "../openapi/operation.ts";
import { jsonAnswer } from "../openapi/responses.ts";
import { scopeOf } from "../scope.ts";
import type { EventStreams } from "../websocket/streams.ts";
import type { Dependencies } from "./dependencies.ts";

/** Resolves when the part works; rejects with the reason when it does not. */
export type HealthCheck = () => Promise<void> | void;

/** What the SMTP server has counted. */
export interface SmtpFigures {
  /** Clients connected now. */
  readonly open: number;
  readonly connections: number;
  readonly turnedAway: number;
  /** By verb. */
  readonly commands: Readonly<Record<string, number>>;
  readonly refusals: ReadonlyMap<string, number>;
}

export interface ServiceFacts {
  readonly version: string;
  readonly commit: string;
  readonly startedAt: Date;
  /** Not affected by changes of the system clock. */
  readonly uptimeMs: () => number;
  readonly storeKind: ServiceInfo["store"]["kind"];
  readonly smtp: () => ServiceInfo["smtp"];
  readonly smtps: () => ServiceInfo["smtps"];
  /** The SMTP ports of inboxes that have their own. */
  readonly inboxPorts: () => ReadonlyMap<string, number>;
  readonly releaseEnabled: boolean;
  readonly smtpFigures: () => SmtpFigures;
  readonly webhooks: () => Webhook[];
  readonly relay: ServiceInfo["relay"];
  readonly relaying: () => ServiceInfo["relaying"];
}

export interface ServiceOptions extends Pick<Dependencies, "mailOf"> {
  readonly http: () => ServiceInfo["http"];
  readonly now: () => Date;
  readonly facts: ServiceFacts;
  readonly store: Store;
  readonly events: EventStreams;
  readonly healthChecks: Readonly<Record<string, HealthCheck>>;
}

const HEALTH_TIMEOUT_MS = 2000;

export function service({ http, now, facts, store, mailOf, events, healthChecks }: ServiceOptions) {
  const checks: Readonly<Record<string, HealthCheck>> = {
    http: () => {},
    store: () => store.check(),
    ...healthChecks,
  };
  return new Elysia({ prefix: "/api/v1" })
    .get(
      "/info",
      async ({ request }): Promise<ServiceInfo> => {
        const scope = scopeOf(request);
        const stream = events.of(scope);
        const { messages, unread, message_bytes, store_bytes } = await mailOf(request).stats();
        return {
          name: "mailkeep",
          version: facts.version,
          commit: facts.commit,
          started_at: facts.startedAt.toISOString(),
          time: now().toISOString(),
          uptime_seconds: Math.floor(facts.uptimeMs() / 1000),
          smtp: facts.smtp(),
          smtps: facts.smtps(),
          http: http(),
          messages: { total: messages, unread },
          store: { kind: facts.storeKind, message_bytes, store_bytes },
          events: { websockets: stream.clientCount, seq: stream.seq },
          release_enabled: facts.releaseEnabled,
          relay: facts.relay,
          // Its numbers are about all mail.
          relaying: scope === null ? facts.relaying() : null,
        };
      },
      operation({
        operationId: "getInfo",
        summary: "Version, addresses, counts, store size and uptime",
        tags: ["Service"],
        responses: { 200: jsonAnswer("About this server.", ServiceInfo) },
      }),
    )
    .get(
      "/webhooks",
      (): WebhookList => ({ webhooks: facts.webhooks() }),
      operation({
        operationId: "listWebhooks",
        summary: "The webhooks: their state, what waits, the last error",
        tags: ["Service"],
        responses: { 200: jsonAnswer("In the order of the settings.", WebhookList) },
      }),
    )
    .get(
      "/health",
      async ({ set }): Promise<HealthReport | FailingHealthReport> => {
        const report = await examine(checks);
        if (report.status !== "ok") set.status = 503;
        return report;
      },
      operation({
        operationId: "getHealth",
        summary: "Whether SMTP, HTTP and the store work",
        description: "Never asks for credentials, so that an orchestrator can call it.",
        tags: ["Service"],
        security: [],
        responses: {
          200: jsonAnswer("Everything works.", HealthReport),
          503: jsonAnswer(
            "Something does not work, or not yet, or no longer while the server stops; the report says what.",
            FailingHealthReport,
          ),
        },
      }),
    );
}

async function examine(
  checks: Readonly<Record<string, HealthCheck>>,
): Promise<HealthReport | FailingHealthReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
  );
  const report = { checks: Object.fromEntries(results) };
  const failing = results.filter(([, result]) => result !== "ok").map(([name]) => name);
  if (failing.length === 0) return { status: "ok", ...report };
  const error = `Not everything works: ${failing.join(", ")}.`;
  return { status: "failing", ...report, error, code: "unhealthy" };
}

async function outcome(check: HealthCheck): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("did not answer in time")), HEALTH_TIMEOUT_MS);
  try {
    await Promise.race([late, (async () => check())()]);
    return "ok";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
