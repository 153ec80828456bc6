// Offers the tools over the Model Context Protocol. This file is loaded only when MCP is used.
import {
  type CallToolResult,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { TSchema } from "@sinclair/typebox";
import { nearest } from "../../lib/text.ts";
import { INBOX_NAME, type NearMiss } from "../../model/index.ts";
import { quote } from "../problem.ts";
import {
  type ApiFetch,
  type Arguments,
  type Ask,
  TOOLS,
  type Tool,
  ToolError,
  UNTRUSTED_HINT,
  untrusted,
} from "./tools.ts";

export { createMcpHandler } from "@modelcontextprotocol/server";

const INSTRUCTIONS =
  "Mailkeep catches the mail that an application under test sends; nothing is delivered. Let the application send, then " +
  `call wait_for_mail. ${UNTRUSTED_HINT}`;

/** Drops `$id`, which may appear only once in a document, and examples, which cost tokens. */
const plain = (schema: TSchema) =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => (key === "$id" || key === "examples" ? undefined : value)),
  );

const listed = ({ name, title, description, input, output, changes }: Tool): ToolListing => ({
  name,
  title,
  description: "untrusted" in output.properties ? `${description} ${UNTRUSTED_HINT}` : description,
  inputSchema: plain(input),
  outputSchema: plain(output),
  annotations: { readOnlyHint: changes === undefined, destructiveHint: changes === "deletes" },
});

const LISTING = TOOLS.map(listed);

export interface McpOptions {
  readonly version: string;
  readonly fetch: ApiFetch;
}

export function mcpServer({ version, fetch }: McpOptions): Server {
  const server = new Server(
    { name: "mailkeep", title: "Mailkeep", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: LISTING }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool) throw unknownTool(params.name);
    return callTool(tool, params.arguments ?? {}, fetch, mcpReq.signal);
  });
  return server;
}

const unknownTool = (name: string) => {
  const known = TOOLS.map((tool) => tool.name);
  const sentence = `There is no tool ${quote(name)}; did you mean ${nearest(name, known)}?`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, sentence);
};

async function callTool(
  tool: Tool,
  given: Arguments,
  fetch: ApiFetch,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    refuseUnknown(tool, given);
    const { inbox, ...rest } = given;
    const structuredContent = { ...(await tool.run(rest, asking(fetch, signal, inbox))) };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

function refuseUnknown({ input }: Tool, given: Arguments): void {
  const known = Object.keys(input.properties);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ToolError(
    `There is no argument ${quote(unknown)}; did you mean ${nearest(unknown, known)}? Known: ${known.join(", ")}.`,
  );
}

/**
 * Writes arguments as parameters of the API, which checks their values. Refuses lists for all but `tag`, because the
 * API would take only their last value. Agents send null for arguments that they leave out.
 */
function searchOf(given: Arguments): string {
  const pairs = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    if (Array.isArray(value) && name !== "tag")
      throw new ToolError(`Argument ${name} must be one value, not a list.`);
    return [value].flat().map((item) => {
      if (typeof item === "object")
        throw new ToolError(`Argument ${name} must be a plain value, not an object.`);
      return [name, String(item)];
    });
  });
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function inboxName(given: unknown): string {
  if (typeof given === "string" && new RegExp(INBOX_NAME).test(given)) return given;
  throw new ToolError(`Argument inbox must be the name of an inbox, not ${quote(String(given))}.`);
}

type Refusal = { readonly error: string; readonly near_misses?: readonly NearMiss[] };

/** Every tool has the argument `inbox`. With it, the tool uses the same API below the path of that inbox. */
function asking(fetch: ApiFetch, signal: AbortSignal, inbox: unknown): Ask {
  const base = inbox === undefined || inbox === null ? "/api/v1" : `/api/v1/inboxes/${inboxName(inbox)}`;
  return async <Answer>(path: string, asked: Arguments = {}, init: RequestInit = {}) => {
    const response = await fetch(`${base}${path}${searchOf(asked)}`, { ...init, signal }).catch((error) => {
      throw new ToolError(error.message);
    });
    const answer: unknown = await response.json().catch(() => ({
      error: `The server answered ${response.status}, but not as Mailkeep does. Is the address right?`,
    }));
    const hint = response.headers.get("mailkeep-hint");
    if (!response.ok) throw refused(answer as Refusal, hint);
    return (hint === null ? answer : { ...Object(answer), hint }) as Answer;
  };
}

function refused({ error: problem, near_misses = [] }: Refusal, hint: string | null): ToolError {
  const error = hint === null ? problem : `${problem} ${hint}`;
  if (near_misses.length === 0) return new ToolError(error);
  const advice = "These mails came close; missed_by names the filters that they do not meet.";
  return new ToolError(`${error} ${advice}\n${JSON.stringify(untrusted({ near_misses }))}`);
}

/** Resolves when the agent has closed the input and got all answers. */
export async function serveOnStdio(options: McpOptions): Promise<void> {
  const transport = new StdioTransport();
  serveStdio(() => mcpServer(options), { transport });
  await transport.closed.promise;
}

/** Still answers running calls when the input has ended, so that `mailkeep mcp < requests` works. */
class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<unknown>();
  readonly closed = Promise.withResolvers<void>();
  #isClosing = false;

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

  override async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#unanswered.size > 0) return;
    await super.close();
    this.closed.resolve();
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    if (this.#isClosing) void this.close();
  }
}
