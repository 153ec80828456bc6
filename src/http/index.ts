export { fieldReason } from "./body.ts";
export { parseFilter } from "./filters.ts";
export { serveMcpOnStdio } from "./mcp/route.ts";
export type { PageFile } from "./modules/pages.ts";
export { parseSendRequest } from "./modules/send.ts";
export type { OidcSettings } from "./modules/sign-in.ts";
export type { VerifyUser } from "./plugins/access.ts";
export { type HttpServerOptions, startHttpServer, startStartingServer } from "./server.ts";
