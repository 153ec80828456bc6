// The Model Context Protocol for agents, by HTTP: every request stands alone and keeps nothing here.
import { Elysia } from "elysia";
import type { Dependencies } from "../modules/dependencies.ts";
import { takeOnly } from "../parameters.ts";

export const MCP_PATH = "/mcp";

export interface McpRouteOptions extends Pick<Dependencies, "keepOpen"> {
  readonly version: string;
  /** The whole application: what a tool asks passes the same rules as any request. */
  readonly fetch: (request: Request) => Promise<Response>;
}

export function mcp({ version, fetch, keepOpen }: McpRouteOptions) {
  const handler = async () => {
    const { createMcpHandler, mcpServer } = await import("./server.ts");
    return createMcpHandler(({ requestInfo }) =>
      mcpServer({ version, fetch: (path, init) => fetch(asCaller(requestInfo, path, init)) }),
    );
  };
  let loaded: ReturnType<typeof handler> | undefined;
  return new Elysia().post(MCP_PATH, async ({ request, body }) => {
    takeOnly(request);
    keepOpen(request);
    loaded ??= handler();
    return (await loaded).fetch(request, { parsedBody: body });
  });
}

/** A request of the same caller. Nothing else of the first is passed on: a tool is no browser. */
function asCaller(caller: Request | undefined, path: string, init?: RequestInit): Request {
  const headers = new Headers(init?.headers);
  const authorization = caller?.headers.get("authorization");
  if (authorization) headers.set("authorization", authorization);
  return new Request(`http://localhost${path}`, { ...init, headers });
}
