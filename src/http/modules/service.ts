// Information about the server, and its health.
import { FailingHealthReport, HealthReport, ServiceInfo, WebhookList } from "../../model/index.ts";
import { scopeOf } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer } from "../openapi/responses.ts";
import type { Dependencies } from "./dependencies.ts";

const HEALTH_TIMEOUT_MS = 2000;

export function service({ http, now, facts, store, mailOf, events, relaying }: Dependencies) {
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
      answer: async ({ set }): Promise<HealthReport | FailingHealthReport> => {
        const state = await stateOf(store);
        // SMTP and HTTP run on one event loop: this answer shows that both work.
        const checks = { http: "ok", store: state, smtp: "ok" };
        if (state === "ok") return { status: "ok", checks };
        set.status = 503;
        return { status: "failing", checks, error: "Not everything works: store.", code: "unhealthy" };
      },
    }),
  );
}

/** `ok`, or the reason why not. */
const stateOf = (store: Dependencies["store"]): Promise<string> =>
  Promise.race([
    Promise.try(() => store.check()).then(
      () => "ok",
      (error) => (error instanceof Error ? error.message : String(error)),
    ),
    Bun.sleep(HEALTH_TIMEOUT_MS).then(() => "did not answer in time"),
  ]);
