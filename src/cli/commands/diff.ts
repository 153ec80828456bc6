// `mailkeep diff`: compares snapshots or mails with others, or with those of a running server.
import { kinds, UsageError, under } from "../../config/index.ts";
import { type Command, type CommandContext, readInput } from "../command/command.ts";
import { printable, takesStyle } from "../command/terminal.ts";
import {
  type Comparison,
  compare,
  countsOf,
  GOLDEN_SETTINGS,
  snapshotsIn,
  snapshotsOf,
} from "../remote/golden.ts";
import { openInbox, refuseFilters, SERVER_SETTINGS } from "../remote/settings.ts";
import { reportFailure } from "../remote/verdict.ts";

const SETTINGS = {
  format: under("Comparison", { flagOnly: true }).withDefault(
    kinds.oneOf("text", "json"),
    "text",
    "How differences are printed",
  ),
  ...GOLDEN_SETTINGS,
  ...SERVER_SETTINGS,
};

const COLORS: Readonly<Record<string, string>> = { "-": "31", "+": "32", "@": "36" };

function show({ status, subject, lines }: Comparison, { environment }: CommandContext): string {
  const hasStyle = takesStyle(process.stdout, environment);
  const styled = (line: string) => {
    const color = COLORS[line.charAt(0)];
    return hasStyle && color ? `\x1b[${color}m${line}\x1b[0m` : line;
  };
  const shown = lines.map((line) => `  ${styled(printable(line))}\n`);
  return `✗ ${status}: ${printable(subject) || "(no subject)"}\n${shown.join("")}`;
}

export const diffCommand: Command = {
  name: "diff",
  summary: "Compare mails with golden files, or with other mails",
  usage: "[flags] PATH [PATH]",
  details: `  mailkeep diff golden --to ann@example.com
  mailkeep diff before.zip after.zip

Compares the mails of the first path with those of the second, or of a
running server. A path is a folder of snapshots or of mails, a zip, an
mbox or an .eml file. Mails are paired by what they say.

Exit code: 0 no difference, 1 a difference, or no mail, 2 wrong usage,
3 no Mailkeep answers, or it refuses.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const [before, after, ...rest] = positionals;
    if (before === undefined || rest.length > 0)
      throw new UsageError("name one or two folders or files to compare");
    if (after !== undefined) refuseFilters(settings, context);
    return reportFailure(context.err, async () => {
      const expected = await snapshotsIn([before], settings.mask, context);
      const actual =
        after === undefined
          ? await snapshotsOf(openInbox(settings, context), settings, context)
          : await snapshotsIn([after], settings.mask, context);
      const compared = compare(expected, actual);
      const different = compared.filter(({ status }) => status !== "same");
      const isSame = different.length === 0;
      if (settings.format === "json") context.out(`${JSON.stringify({ ok: isSame, mails: compared })}\n`);
      else {
        for (const one of different) context.out(show(one, context));
        context.out(`${isSame ? "✓" : "✗"} ${countsOf(compared)}\n`);
      }
      return isSame ? 0 : 1;
    });
  },
};
