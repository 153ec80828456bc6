// The tools for an agent that starts a program and speaks to it by standard input and output. Loaded only when somebody
// does.
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type McpOptions, mcpServer } from "./server.ts";

/** Resolves when the agent has hung up and has its answers. */
export async function serveOnStdio(options: McpOptions): Promise<void> {
  const transport = new StdioTransport();
  serveStdio(() => mcpServer(options), { transport });
  await transport.closed;
}

/**
 * The transport of the protocol's package drops running calls when the input ends; this one answers them first, so that
 * `mailkeep mcp < requests` works.
 */
class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<unknown>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosing = false;

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  override start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message) => {
      const method = "method" in message ? message.method : null;
      // A subscription is answered only when it ends.
      const isDue = method !== null && method !== "subscriptions/listen";
      if (isDue && "id" in message) this.#unanswered.add(message.id);
      deliver?.(message);
      if (method === "notifications/cancelled" && "params" in message)
        this.#settle(message.params?.requestId);
    };
    return super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if ("id" in message && !("method" in message)) this.#settle(message.id);
    }
  }

  /** Waits for the answers that are still due. */
  override async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#unanswered.size > 0) return;
    await super.close();
    this.#closed.resolve();
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    if (this.#isClosing) void this.close();
  }
}
