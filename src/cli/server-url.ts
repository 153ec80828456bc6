// The setting that commands share which talk to a running server, and where that server is by default.
import { kinds, SERVE_SETTINGS, type Setting, UsageError, under } from "../config/index.ts";
import { hostAndPort } from "../lib/host-and-port.ts";
import type { CommandContext } from "./command.ts";
import { reachable } from "./reachable.ts";
import { readInput } from "./read-input.ts";

const url = {
  ...kinds.text,
  placeholder: "url",
  accepts: "an address such as http://127.0.0.1:8025",
  parse: kinds.webUrl.parse,
};

export const URL_SETTING: Setting<string, undefined> = under("Server").optional(
  url,
  "Address of the running server, with user:password@ where it asks for them; also MAILKEEP_URL",
  { shownDefault: "http://127.0.0.1:8025, or where serve would listen with these variables" },
);

/** When no address is given: that of a server with the same variables and file, as in one container. */
export function serverUrl(given: string | undefined, context: CommandContext): string {
  if (given !== undefined) return given;
  const { bind, httpPort, httpAuth = "" } = readInput(SERVE_SETTINGS, { ...context, args: [] }).settings;
  const found = URL.parse(`http://${hostAndPort(reachable(bind), httpPort)}`);
  if (!found) throw new UsageError(`no URL can have ${bind} in it; say with --url where the server is`);
  const [user = "", ...password] = httpAuth.split(":");
  found.username = encodeURIComponent(user);
  found.password = encodeURIComponent(password.join(":"));
  return found.href;
}
