// The tools for an agent that starts a program and speaks to it by standard input and output.
import { once } from "node:events";
import type { McpOptions } from "./server.ts";

/** Resolves when the agent hangs up. */
export async function serveMcpOnStdio(options: McpOptions): Promise<void> {
  const [{ serveStdio }, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("./server.ts"),
  ]);
  serveStdio(() => mcpServer(options));
  await once(process.stdin, "close");
}
