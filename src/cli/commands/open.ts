// `mailkeep open`: shows the web page, or one mail on it, in the browser.
import { under } from "../../config/index.ts";
import { type Command, type CommandContext, readInput } from "../command/command.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS, whichMail } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const SETTINGS = {
  ...FILTER_SETTINGS,
  print: under("Open", { flagOnly: true }).toggle("Print the address and start no browser"),
  ...SERVER_SETTINGS,
};

/** The program that opens an address; null where there is none, or no screen to show it on. */
function openerOf({ environment }: CommandContext): string[] | null {
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (process.platform === "darwin") return ["open"];
  const hasScreen = environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.WSL_DISTRO_NAME;
  const PATH = environment.PATH ?? "";
  const found = hasScreen && ["xdg-open", "wslview"].find((name) => Bun.which(name, { PATH }) !== null);
  return found ? [found] : null;
}

async function openInBrowser(address: string, context: CommandContext): Promise<boolean> {
  const opener = openerOf(context);
  if (opener === null) return false;
  try {
    const child = Bun.spawn([...opener, address], { stdio: ["ignore", "ignore", "ignore"] });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}

export const openCommand: Command = {
  name: "open",
  summary: "Show the web page, or one mail on it, in your browser",
  usage: "[flags] [latest|ID]",
  details: `  mailkeep open latest --to ann@example.com

Where there is no browser it prints the address.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const filter = filterOf(settings, context);
    const isOneMail = positionals.length > 0 || Object.keys(filter).length > 0;
    const find = isOneMail ? whichMail(positionals, filter) : null;
    return atServer(settings, context, async (inbox) => {
      if (find === null) await inbox.health();
      const address = `${inbox.url}/${find === null ? "" : `messages/${(await find(inbox)).id}`}`;
      if (settings.print || !(await openInBrowser(address, context))) context.out(`${address}\n`);
    });
  },
};
