export type { VerifyUser } from "./authenticate.ts";
export { parseFilter } from "./filters.ts";
export { serveMcpOnStdio } from "./mcp/route.ts";
export type { HealthCheck, ServiceFacts } from "./modules/dependencies.ts";
export type { PageFile } from "./modules/pages.ts";
export { parseSendRequest } from "./modules/send.ts";
export type { OidcSettings } from "./oidc.ts";
export type { AccessRules } from "./plugins/access.ts";
export {
  type HttpLimits,
  type HttpServerOptions,
  type RunningHttpServer,
  startHttpServer,
  startStartingServer,
} from "./server.ts";
