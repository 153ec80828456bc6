// The Model Context Protocol over HTTP, without sessions, and over standard input and output.
import { Elysia } from "elysia";
import type { Dependencies } from "../modules/dependencies.ts";
import { takeOnly } from "../parameters.ts";
import type { McpOptions } from "./server.ts";

export const MCP_PATH = "/mcp";

/** Tools send requests to the whole application, by `ask`, so the same rules apply to them. */
export function mcp(
  { facts: { version }, keepOpen }: Dependencies,
  ask: (request: Request) => Promise<Response>,
) {
  const handler = async () => {
    const { createMcpHandler, mcpServer } = await import("./server.ts");
    return createMcpHandler(({ requestInfo }) =>
      mcpServer({ version, fetch: (path, init) => ask(asCaller(requestInfo, path, init)) }),
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

export async function serveMcpOnStdio(options: McpOptions): Promise<void> {
  const { serveOnStdio } = await import("./server.ts");
  return serveOnStdio(options);
}

/** A request with the caller's credentials, but without the caller's other headers: a tool is not a browser. */
function asCaller(caller: Request | undefined, path: string, init?: RequestInit): Request {
  const headers = new Headers(init?.headers);
  const authorization = caller?.headers.get("authorization");
  if (authorization) headers.set("authorization", authorization);
  return new Request(`http://localhost${path}`, { ...init, headers });
}
