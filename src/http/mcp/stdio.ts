// The tools for an agent that starts a program and speaks to it by standard input and output.
import type { McpOptions } from "./server.ts";

/** Resolves when the agent has hung up and has its answers. */
export async function serveMcpOnStdio(options: McpOptions): Promise<void> {
  const [{ serveStdio }, { StdioTransport }, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("./stdio-transport.ts"),
    import("./server.ts"),
  ]);
  const transport = new StdioTransport();
  serveStdio(() => mcpServer(options), { transport });
  await transport.closed;
}
