// The Elysia application: one instance for each resource, with plugins around them.
import { Elysia } from "elysia";
import { jsonBody } from "./body.ts";
import { mailhog } from "./compat/mailhog.ts";
import { mailpit } from "./compat/mailpit/index.ts";
import { serializer } from "./json.ts";
import { MCP_PATH, mcp } from "./mcp/route.ts";
import { accessRoutes } from "./modules/access.ts";
import type { Dependencies } from "./modules/dependencies.ts";
import { description } from "./modules/description.ts";
import { faults } from "./modules/faults.ts";
import { inboxes } from "./modules/inboxes.ts";
import { attachments } from "./modules/messages/attachments.ts";
import { checks } from "./modules/messages/checks.ts";
import { content } from "./modules/messages/content.ts";
import { messages } from "./modules/messages/messages.ts";
import { release } from "./modules/messages/release.ts";
import { source } from "./modules/messages/source.ts";
import { metrics, RequestTimes } from "./modules/metrics.ts";
import { type PageFile, pages, placedBelow, unknownPage } from "./modules/pages.ts";
import { SEND_PATH, send, sendBodyBytes } from "./modules/send.ts";
import { service } from "./modules/service.ts";
import { Oidc, signIn } from "./modules/sign-in.ts";
import { testing } from "./modules/testing.ts";
import type { Route } from "./openapi/document.ts";
import { type AccessRules, access, cors } from "./plugins/access.ts";
import { finishAnswer } from "./plugins/answer.ts";
import { errors } from "./plugins/errors.ts";
import { guardMessages, scoping } from "./plugins/scoping.ts";
import { events } from "./websocket/streams.ts";

export interface ApplicationOptions extends Dependencies {
  readonly access: AccessRules;
  readonly pages: readonly PageFile[];
  readonly servesMcp: boolean;
}

const MAX_BODY_BYTES = 1024 * 1024;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export function application(options: ApplicationOptions) {
  const { logger, limits, basePath } = options;
  const { users, oidc } = options.access;
  const requests = new RequestTimes();
  const files = options.pages.map((file) => placedBelow(basePath, file));
  const app = new Elysia({ name: "mailkeep", normalize: false, strictPath: true })
    .use(errors(logger, methodsOf, unknownPage(files)))
    // Each of these four wraps those above it: refusals of `access` get CORS and security headers.
    .use(scoping(options.inboxes))
    .use(access(options.access, options))
    .use(cors(options.access))
    .use(finishAnswer(logger, requests))
    .use(serializer)
    .use(jsonBody(maxBytesAt))
    .use(guardMessages(options.mailOf))
    .use(testing(options))
    .use(messages(options))
    .use(source(options))
    .use(attachments(options))
    .use(content(options))
    .use(checks(options))
    .use(release(options))
    .use(faults(options))
    .use(send(options))
    .use(events(options))
    .use(inboxes(options))
    .use(mailpit(options))
    .use(mailhog(options))
    .use(accessRoutes(options, { basic: users !== undefined, oidc: oidc !== undefined }))
    .use(oidc === undefined ? new Elysia() : signIn(options, new Oidc(oidc)))
    .use(service(options))
    .use(metrics(options, requests))
    .use(description(options, (): readonly Route[] => app.routes))
    .use(
      options.servesMcp
        ? mcp(options, (request): Promise<Response> => app.fetch(request) as Promise<Response>)
        : new Elysia(),
    )
    .use(pages(files));

  function maxBytesAt(path: string): number {
    return path.endsWith(SEND_PATH) || path === MCP_PATH
      ? sendBodyBytes(limits.maxMessageBytes)
      : (limits.maxBodyBytes ?? MAX_BODY_BYTES);
  }

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
