// The Model Context Protocol around the tools. Loaded only when somebody speaks it.
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import { nearest } from "../../lib/text.ts";
import { quote } from "../problem.ts";
import {
  type ApiFetch,
  type Arguments,
  asking,
  refuseUnknown,
  type Tool,
  ToolError,
  UNTRUSTED_HINT,
} from "./tool.ts";
import { TOOLS } from "./tools.ts";

export { createMcpHandler } from "@modelcontextprotocol/server";

const INSTRUCTIONS =
  "Mailkeep catches the mail that an application under test sends; nothing is delivered. Let the application send, then " +
  `call wait_for_mail. ${UNTRUSTED_HINT}`;

/**
 * Removes what a client does not need: a schema's name may appear only once in a document, and examples cost tokens.
 */
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
