// `mailkeep mcp`: lets an AI agent use a running server, over standard input and output.
import { serveMcpOnStdio } from "../../http/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { VERSION } from "../server/bundle.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Let an agent use a running Mailkeep (Model Context Protocol)",
  details: `  claude mcp add mailkeep -- mailkeep mcp

An agent starts this and speaks to it by standard input and output. It
can wait for mail, list, search, read and check it, take codes and links
out of it, put test mail in and delete mail. An agent that speaks HTTP
needs no program: the server has the same tools at /mcp.

Exit code: 0 when the agent hangs up, 2 wrong usage.`,
  settings: SERVER_SETTINGS,
  async run(context) {
    const inbox = openInbox(readSettings(SERVER_SETTINGS, context), context);
    await serveMcpOnStdio({ version: VERSION, fetch: (path, init) => inbox.fetch(path, init) });
    return 0;
  },
};
