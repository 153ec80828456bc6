// Starts and stops the HTTP server: Bun's own server around the Elysia application.
import type { Server } from "bun";
import { Expectations } from "../app/index.ts";
import { hostAndPort } from "../lib/hosts.ts";
import type { FailingHealthReport } from "../model/index.ts";
import { type ApplicationOptions, application } from "./application.ts";
import { alsoBelow, movedBelow, pathOf } from "./base-path.ts";
import { callerOf, scopeOf } from "./caller.ts";
import { json } from "./json.ts";
import type { Parts } from "./modules/dependencies.ts";
import { trustedProxies } from "./origin.ts";
import { problemResponse } from "./plugins/errors.ts";
import { INTERNAL_ERROR, Problem } from "./problem.ts";
import type { ClientData } from "./websocket/event-stream.ts";
import { EventStreams } from "./websocket/streams.ts";

export interface HttpServerOptions extends Parts, Pick<ApplicationOptions, "access" | "pages" | "servesMcp"> {
  readonly hostname: string;
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** Extra ports by the name of another catcher (`mailpit`, `mailhog`), with that catcher's interface at the root. */
  readonly compatPorts?: Readonly<Record<string, number>>;
  /** Certificate and key as PEM. Without them the server speaks plain HTTP. */
  readonly tls?: TlsKeyPair | undefined;
  /** Addresses and networks of the proxies whose `X-Forwarded-*` headers count. */
  readonly trustedProxies?: readonly string[];
}

interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The longest that Bun allows. */
const IDLE_TIMEOUT_SECONDS = 255;
const POLL_MS = 5;

/** Rejects if a port cannot be opened. The error's `port` says which. */
export async function startHttpServer(options: HttpServerOptions) {
  const { hostname, limits, now, store, inboxes, logger } = options;
  const closing = new AbortController();
  /** By the names of `compatPorts`. The main server has the empty name. */
  const servers = new Map<string, Server<ClientData>>();
  const received = new WeakMap<Request, Server<ClientData>>();
  const main = () => servers.get("");
  // Requests of MCP tools are made inside the application, so no server has received them.
  const serverOf = (request: Request) => received.get(request) ?? main();
  const events = new EventStreams({
    removalOf: (scope) => inboxes.removalOf(scope),
    store,
    now,
    logger,
    maxClients: limits.maxWebsockets,
    serverOf,
  });
  const proxies = trustedProxies(options.trustedProxies ?? []);
  const peerOf = (request: Request) => serverOf(request)?.requestIP(request)?.address ?? "";
  const app = application({
    ...options,
    events,
    http: () => ({ host: hostname, port: main()?.port ?? 0 }),
    mailOf: (request) => store.within(scopeOf(request)),
    expectationsOf: (request) => {
      const scope = scopeOf(request);
      const endings = [closing.signal, inboxes.removalOf(scope), callerOf(request).ended];
      return new Expectations({ store: store.within(scope), endings });
    },
    addressOf: (request) => proxies.clientOf(request, peerOf(request)),
    originOf: (request) => {
      const scheme = proxies.schemeOf(request, peerOf(request)) ?? (options.tls ? "https" : "http");
      return `${scheme}://${request.headers.get("host")}`;
    },
    keepOpen: (request) => serverOf(request)?.timeout(request, 0),
  });
  const open = (name: string, port: number, tls: TlsKeyPair | undefined): void => {
    const atRoot = app.fetch as Fetch;
    const moved = name === "" ? atRoot : movedBelow(`/compat/${name}`, atRoot);
    const fetch = alsoBelow(options.basePath, moved);
    const server = Bun.serve<ClientData>({
      hostname,
      port,
      ...(tls && { tls }),
      // Two servers on one port would share the requests; the second must fail instead.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // We limit bodies ourselves, to answer with our own 413.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      fetch: (request, server) => {
        received.set(request, server);
        return fetch(proxies.areAny ? proxies.asAsked(request, peerOf(request)) : request);
      },
      websocket: events.handlers,
      // Handles errors after a route has answered: Bun opens the file of a large mail only while sending.
      error: (error) => {
        logger.error("request failed", { error: error.stack ?? error.message });
        return problemResponse(INTERNAL_ERROR);
      },
    });
    servers.set(name, server);
  };
  for (const [name, port] of Object.entries({ "": options.port, ...options.compatPorts })) {
    try {
      open(name, port, options.tls);
    } catch (error) {
      for (const one of servers.values()) void one.stop(true);
      throw Object.assign(error as Error, { port });
    }
  }
  const ports = [...servers].map(([name, { port = 0 }]) => ({ name, port }));
  const { "": url = "", ...compatUrls } = Object.fromEntries(
    ports.map(({ name, port }) => [name, urlOf(options.tls ? "https" : "http", hostname, port)]),
  );
  return {
    port: main()?.port ?? 0,
    url,
    compatUrls,
    /** Continues with another certificate. WebSocket clients must connect again. */
    renew: (tls: TlsKeyPair): void => {
      // Bun cannot replace the certificate of a server, so new servers open. Running requests finish at the old ones.
      for (const old of servers.values()) void old.stop(false);
      events.sendAway();
      for (const { name, port } of ports) open(name, port, tls);
    },
    /** Takes no new requests, lets running requests finish for `graceMs`, then ends them. */
    stop: async (graceMs: number): Promise<void> => {
      const deadline = performance.now() + graceMs;
      const all = [...servers.values()];
      for (const one of all) void one.stop(false);
      events.close();
      closing.abort();
      while (all.some(isBusy) && performance.now() < deadline) await Bun.sleep(POLL_MS);
      await Promise.all(all.map((one) => one.stop(true)));
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
  /** The progress of the store, for health checks. */
  readonly progress: () => string;
}

const SENTENCE = "Mailkeep is starting: it is reading the stored mail.";
const RETRY = { "retry-after": "1" };
const STARTING = new Problem(503, "starting", SENTENCE, RETRY);

/** Answers 503 while Mailkeep reads the log. Health shows the progress. `stop` frees the port. */
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
