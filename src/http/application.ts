// The Elysia application: plugins around, one instance for each resource inside.
import { Elysia } from "elysia";
import type { Expectations, Inbox, MessageReader, Release } from "../app/index.ts";
import type { EventBus } from "../events/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { InboxEvent, ServiceInfo } from "../model/index.ts";
import type { Store } from "../store/index.ts";
import { assertions } from "./modules/assertions.ts";
import { description } from "./modules/description.ts";
import { docs } from "./modules/docs/docs.ts";
import { events } from "./modules/events.ts";
import { exports } from "./modules/exports.ts";
import { messages } from "./modules/messages/index.ts";
import { type PageFile, pages, placedBelow, unknownPage } from "./modules/pages.ts";
import { type HealthCheck, type ServiceFacts, service } from "./modules/service.ts";
import { tags } from "./modules/tags.ts";
import type { Route } from "./openapi/document.ts";
import { type AccessRules, access } from "./plugins/access.ts";
import { cors } from "./plugins/cors.ts";
import { delivery } from "./plugins/delivery.ts";
import { errors } from "./plugins/errors.ts";
import { jsonBody } from "./plugins/json-body.ts";
import { serializer } from "./plugins/serializer.ts";
import type { EventStream } from "./websocket/event-stream.ts";

export interface ApplicationOptions {
  readonly inbox: Inbox;
  readonly store: Store;
  readonly reader: MessageReader;
  readonly expectations: Expectations;
  readonly release: Release;
  readonly bus: EventBus<InboxEvent>;
  readonly logger: Logger;
  readonly facts: ServiceFacts;
  readonly healthChecks: Readonly<Record<string, HealthCheck>>;
  readonly access: AccessRules;
  readonly pages: readonly PageFile[];
  /** The path of a shared site below which browsers see all this, such as `/mail`; empty at the root. */
  readonly basePath: string;
  readonly events: EventStream;
  readonly limits: { readonly maxBodyBytes: number };
  /** Where this server listens. */
  readonly http: () => ServiceInfo["http"];
  /** Lifts the idle time-out from a request that will wait. */
  readonly keepOpen: (request: Request) => void;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export function application(options: ApplicationOptions) {
  const { logger, limits, facts, basePath } = options;
  const files = options.pages.map((file) => placedBelow(basePath, file));
  const app = new Elysia({ name: "mailkeep", normalize: false, strictPath: true })
    .use(errors({ logger, methodsOf, unknownPage: unknownPage(files) }))
    // The last one stands outermost: what access refuses still gets CORS and security headers.
    .use(access(options.access))
    .use(cors(options.access))
    .use(delivery({ logger, now: () => performance.now() }))
    .use(serializer)
    .use(jsonBody(limits.maxBodyBytes))
    .use(messages(options))
    .use(assertions(options))
    .use(exports(options))
    .use(tags(options))
    .use(events(options.events))
    .use(service(options))
    .use(description({ version: facts.version, basePath, routes: (): readonly Route[] => app.routes }))
    .use(docs(basePath))
    .use(pages(files));

  function methodsOf(path: string): string[] {
    const { http, static: fixed } = app.router;
    const atFixed = Object.hasOwn(fixed, path) ? fixed[path] : undefined;
    const known = METHODS.filter((method) =>
      atFixed ? atFixed[method] !== undefined : http.find(method, path) !== null,
    );
    if (known.length === 0) return [];
    return [...known.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"];
  }
  return app;
}
