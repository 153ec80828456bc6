// Starts and stops the HTTP server: Bun's own server around the Elysia application.
import type { Server } from "bun";
import type { Expectations, Mailbox } from "../app/index.ts";
import { hostAndPort } from "../lib/hosts.ts";
import type { FailingHealthReport } from "../model/index.ts";
import { type ApplicationOptions, application } from "./application.ts";
import { alsoBelow, movedBelow, pathOf } from "./base-path.ts";
import { callerOf, scopeOf } from "./caller.ts";
import { json } from "./json.ts";
import type { Parts } from "./modules/dependencies.ts";
import { problemResponse } from "./plugins/errors.ts";
import { INTERNAL_ERROR, Problem } from "./problem.ts";
import { trustedProxies } from "./trusted-proxies.ts";
import type { ClientData } from "./websocket/event-stream.ts";
import { EventStreams } from "./websocket/streams.ts";

export interface HttpServerOptions extends Parts, Pick<ApplicationOptions, "access" | "pages" | "servesMcp"> {
  readonly inbox: Pick<Mailbox, "events">;
  readonly expectations: Expectations;
  readonly hostname: string;
  /** 0 asks the system for a free one. */
  readonly port: number;
  /** Extra ports that serve the interfaces of other catchers at their root. */
  readonly compatPorts?: Readonly<Record<string, number>>;
  /** PEM; HTTP without it. */
  readonly tls?: TlsKeyPair | undefined;
  /** Addresses and networks of proxies whose `X-Forwarded-*` counts. */
  readonly trustedProxies?: readonly string[];
}

interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

interface RunningHttpServer {
  readonly port: number;
  readonly url: string;
  /** The URLs of `compatPorts`. */
  readonly compatUrls: Readonly<Record<string, string>>;
  /** Goes on with another certificate. WebSocket clients are asked to connect again. */
  renew(tls: TlsKeyPair): void;
  /** Takes no new requests, lets running ones finish for `graceMs`, then ends them. */
  stop(graceMs: number): Promise<void>;
}

const IDLE_TIMEOUT_SECONDS = 60;
const POLL_MS = 5;

/** Rejects if the address is in use or not on this machine. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const { hostname, limits, reader, now, store, inbox, inboxes, expectations, logger } = options;
  const events = new EventStreams({
    events: (scope) => inbox.events(scope),
    removalOf: (scope) => inboxes.removalOf(scope),
    store,
    now,
    maxClients: limits.maxWebsockets,
    previewOf: reader.preview,
    onFailure: (error) => logger.error("event not sent", { error: String(error) }),
  });
  const proxies = trustedProxies(options.trustedProxies ?? []);
  /** Requests that did not come to the main port. */
  const elsewhere = new WeakMap<Request, Server<ClientData>>();
  const serverOf = (request: Request) => elsewhere.get(request) ?? server;
  const peerOf = (request: Request) => serverOf(request).requestIP(request)?.address ?? "";
  const app = application({
    ...options,
    events,
    http: () => ({ host: hostname, port: server.port ?? 0 }),
    mailOf: (request) => store.within(scopeOf(request)),
    expectationsOf: (request) => {
      const scope = scopeOf(request);
      const endings = [inboxes.removalOf(scope), callerOf(request).ended];
      return expectations.of({ store: store.within(scope), bus: inbox.events(scope), endings });
    },
    addressOf: (request) => proxies.clientOf(request, peerOf(request)),
    originOf: (request) => {
      const scheme = proxies.schemeOf(request, peerOf(request)) ?? (options.tls ? "https" : "http");
      return `${scheme}://${request.headers.get("host")}`;
    },
    eventsOf: (request) => inbox.events(scopeOf(request)),
    serverOf,
    keepOpen: (request) => serverOf(request).timeout(request, 0),
  });
  const atRoot = app.fetch as Fetch;
  const serve = (port: number, tls: TlsKeyPair | undefined, fetch: Fetch): Server<ClientData> =>
    Bun.serve<ClientData>({
      hostname,
      port,
      ...(tls && { tls }),
      // Two servers on one port would share the requests; the second must fail instead.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // We limit bodies ourselves, to answer with our own 413.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      fetch: proxies.areAny ? (request) => fetch(proxies.asAsked(request, peerOf(request))) : fetch,
      websocket: events.handlers,
      // Errors after a route has answered: Bun opens the file of a large mail only while sending.
      error: (error) => {
        logger.error("request failed", { error: error.stack ?? error.message });
        return problemResponse(INTERNAL_ERROR);
      },
    });
  const fetch = alsoBelow(options.basePath, atRoot);
  let server = serve(options.port, options.tls, fetch);
  events.attach(server);
  const port = server.port ?? 0;
  const doors = Object.entries(options.compatPorts ?? {}).map(([name, port]) => {
    const moved = alsoBelow(options.basePath, movedBelow(`/compat/${name}`, atRoot));
    const open = (port: number, tls: TlsKeyPair | undefined) => {
      const opened = serve(port, tls, (request) => {
        elsewhere.set(request, opened);
        return moved(request);
      });
      return opened;
    };
    try {
      const opened = open(port, options.tls);
      return { name, open, port: opened.port ?? 0, server: opened };
    } catch (error) {
      void server.stop(true);
      throw Object.assign(error as Error, { port });
    }
  });
  const servers = () => [server, ...doors.map((door) => door.server)];
  const urlAt = ({ port = 0 }: Server<ClientData>) => urlOf(options.tls ? "https" : "http", hostname, port);
  return {
    port,
    url: urlAt(server),
    compatUrls: Object.fromEntries(doors.map((door) => [door.name, urlAt(door.server)])),
    renew: (tls) => {
      // Bun cannot replace a certificate: running requests finish at the old server.
      for (const old of servers()) void old.stop(false);
      events.sendAway();
      server = serve(port, tls, fetch);
      events.attach(server);
      for (const door of doors) door.server = door.open(door.port, tls);
    },
    stop: async (graceMs) => {
      const deadline = performance.now() + graceMs;
      for (const one of servers()) void one.stop(false);
      events.close();
      expectations.close();
      while (servers().some(isBusy) && performance.now() < deadline) await Bun.sleep(POLL_MS);
      await Promise.all(servers().map((one) => one.stop(true)));
    },
  };
}

type Fetch = (request: Request) => Promise<Response>;

const isBusy = ({ pendingRequests, pendingWebSockets }: Server<ClientData>) =>
  pendingRequests + pendingWebSockets > 0;

/** A URL that a client on this machine can open. */
function urlOf(scheme: string, hostname: string, port: number): string {
  if (hostname === "0.0.0.0" || hostname === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${hostAndPort(hostname, port)}`;
}

interface StartingOptions extends Pick<HttpServerOptions, "hostname" | "port" | "tls" | "basePath"> {
  /** How far the store is, for health. */
  readonly progress: () => string;
}

const SENTENCE = "Mailkeep is starting: it reads the log.";
const RETRY = { "retry-after": "1" };
const STARTING = new Problem(503, "starting", SENTENCE, RETRY);

/** For a node that still reads the log: everything is 503, and health says how far it is. `stop` frees the port. */
export function startStartingServer({ progress, basePath, tls, ...where }: StartingOptions) {
  const health = (): FailingHealthReport => ({
    status: "starting",
    checks: { http: "ok", store: progress(), smtp: "it opens when the store is ready" },
    error: SENTENCE,
    code: "starting",
  });
  const server = Bun.serve({
    ...where,
    ...(tls && { tls }),
    reusePort: false,
    development: false,
    fetch: alsoBelow(basePath, ({ url }) =>
      pathOf(url) === "/api/v1/health"
        ? json(health(), { status: 503, headers: RETRY })
        : problemResponse(STARTING),
    ),
  });
  return { port: server.port ?? 0, stop: () => void server.stop(true) };
}
