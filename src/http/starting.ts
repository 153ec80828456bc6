// The HTTP port of a node that still reads the log: everything is 503, and health says how far it is.
import type { FailingHealthReport } from "../model/index.ts";
import { alsoBelow, pathOf } from "./base-path.ts";
import { json } from "./json.ts";
import { problemResponse } from "./plugins/errors.ts";
import { Problem } from "./problem.ts";
import type { HttpServerOptions } from "./server.ts";

export interface StartingOptions extends Pick<HttpServerOptions, "hostname" | "port" | "tls" | "basePath"> {
  /** How far the store is, for health. */
  readonly progress: () => string;
}

export interface StartingServer {
  readonly port: number;
  /** Frees the port at once. */
  stop(): void;
}

const SENTENCE = "Mailkeep is starting: it reads the log.";
const RETRY = { "retry-after": "1" };
const STARTING = new Problem(503, "starting", SENTENCE, RETRY);

export function startStartingServer({ progress, basePath, tls, ...where }: StartingOptions): StartingServer {
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
