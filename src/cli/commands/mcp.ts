// `mailkeep mcp`: lets an AI agent use a running server, over standard input and output.
import { serveMcpOnStdio } from "../../http/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { VERSION } from "../server/bundle.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Let an agent use a running Mailkeep (Model Context Protocol)",
  details: `  claude mcp add mailkeep -- mailkeep mcp

An agent starts this command and talks to it over standard input and
output. It can then wait for mail, list, search, read, check and delete
it, extract codes and links, and store test mail. An agent that can use
HTTP does not need this command: the server has the same tools at /mcp.

Exit code: 0 the agent has disconnected, 2 wrong usage.`,
  settings: SERVER_SETTINGS,
  async run(context) {
    const inbox = openInbox(readSettings(SERVER_SETTINGS, context), context);
    await serveMcpOnStdio({ version: VERSION, fetch: (path, init) => inbox.fetch(path, init) });
    return 0;
  },
};
