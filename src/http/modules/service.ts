// Information about the server, and its health.
import { FailingHealthReport, HealthReport, ServiceInfo, WebhookList } from "../../model/index.ts";
import { scopeOf } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer } from "../openapi/responses.ts";
import type { Dependencies, HealthCheck } from "./dependencies.ts";

const HEALTH_TIMEOUT_MS = 2000;

export function service({ http, now, facts, store, mailOf, events, relaying, healthChecks }: Dependencies) {
  const checks = { http: () => {}, store: () => store.check(), ...healthChecks };
  return routes(
    "Service",
    route("getInfo", "GET /api/v1/info", "read", {
      summary: "Version, addresses, counts, store size and uptime",
      responses: { 200: jsonAnswer("About this server.", ServiceInfo) },
      answer: async ({ request }): Promise<ServiceInfo> => {
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
          events: { websockets: (scope === null ? events : stream).clientCount, seq: stream.seq },
          release_enabled: facts.releaseEnabled,
          relay: facts.relay,
          // These numbers are about all mail, so callers who see only some inboxes do not get them.
          relaying: scope === null ? (relaying?.state ?? null) : null,
        };
      },
    }),
    route("listWebhooks", "GET /api/v1/webhooks", "all", {
      summary: "The webhooks: their state, what waits, the last error",
      responses: { 200: jsonAnswer("In the order of the settings.", WebhookList) },
      answer: (): WebhookList => ({ webhooks: facts.webhooks() }),
    }),
    route("getHealth", "GET /api/v1/health", "read", {
      summary: "Whether SMTP, HTTP and the store work",
      description: "Never asks for credentials, so that an orchestrator can call it.",
      security: [],
      responses: {
        200: jsonAnswer("Everything works.", HealthReport),
        503: jsonAnswer(
          "Something is broken, not ready yet, or already stopped; the report says what.",
          FailingHealthReport,
        ),
      },
      answer: async ({ set }) => {
        const report = await examine(checks);
        if (report.status !== "ok") set.status = 503;
        return report;
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

/** `ok`, or the reason why not. */
const outcome = (check: HealthCheck): Promise<string> =>
  Promise.race([
    Promise.try(check).then(
      () => "ok",
      (error) => (error instanceof Error ? error.message : String(error)),
    ),
    Bun.sleep(HEALTH_TIMEOUT_MS).then(() => "did not answer in time"),
  ]);
