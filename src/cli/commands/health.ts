// `mailkeep health`: is the server healthy? For containers and start-up scripts.
import { type Inbox, MailkeepError } from "../../client/index.ts";
import { kinds, under } from "../../config/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { openInbox, SERVER_SETTINGS } from "../remote/settings.ts";

const PAUSE_MS = 100;
const ANSWER_TIMEOUT_MS = 5000;

const SETTINGS = {
  wait: under("Waiting", { flagOnly: true }).optional(
    kinds.duration,
    "Wait up to this long until it is healthy",
  ),
  ...SERVER_SETTINGS,
};

/** "ok", or what is wrong. */
async function examine(inbox: Inbox): Promise<string> {
  try {
    const { status, checks } = await inbox.health({ signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    if (status === "ok") return "ok";
    const failing = Object.entries(checks).filter(([, result]) => result !== "ok");
    return failing.map(([name, reason]) => `${name}: ${reason}`).join("; ") || status;
  } catch (error) {
    if (error instanceof MailkeepError) return error.message;
    if (error instanceof DOMException) return `${inbox.url} did not answer in time`;
    throw error;
  }
}

export const healthCommand: Command = {
  name: "health",
  summary: "Check that a running Mailkeep is healthy",
  details: "Exit code: 0 healthy, 1 not healthy or not reachable, 2 wrong usage.",
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const inbox = openInbox(settings, context);
    const deadline = performance.now() + (settings.wait ?? 0);
    for (;;) {
      const state = await examine(inbox);
      if (state === "ok") {
        context.out("ok\n");
        return 0;
      }
      if (performance.now() + PAUSE_MS > deadline) {
        context.err(`mailkeep: ${state}\n`);
        return 1;
      }
      await Bun.sleep(PAUSE_MS);
    }
  },
};
