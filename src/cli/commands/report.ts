// `mailkeep report`: saves every mail of a running server in a folder and prints a Markdown table
// of them, for the summary page of a CI job.
import type { Mail } from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { counted } from "../../lib/text.ts";
import { sanitizeHtml } from "../../mime/index.ts";
import type { MessageSummary } from "../../model/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { fit } from "../command/terminal.ts";
import { type Comparison, compare, countsOf, MASK_SETTING, snapshotsIn } from "../remote/golden.ts";
import { saveMails, saveStream } from "../remote/save.ts";
import { atServer, FILTER_SETTINGS, SERVER_SETTINGS } from "../remote/settings.ts";
import { escapeXml } from "../remote/verdict.ts";

/** GitHub discards a summary that exceeds 1 MiB. */
const MAX_ROWS = 500;
const MAX_CELL_CHARACTERS = 100;

const flags = under("Report", { flagOnly: true });
const SETTINGS = {
  ...SERVER_SETTINGS,
  inbox: FILTER_SETTINGS.inbox,
  output: flags.withDefault(kinds.path, "mail", "Folder for the .eml files"),
  html: flags.optional(kinds.path, "File for a page that shows all mails, without their pictures"),
  against: flags.optional(kinds.path, "Snapshots or mails to compare with: the page shows what changed"),
  mask: MASK_SETTING,
};

/** The text of a mail must not become Markdown or HTML in the table. */
const cell = (text: string): string =>
  fit(text.replace(/[\s\p{Cc}]+/gu, " "), MAX_CELL_CHARACTERS)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]|~#!@:]|(?<=www)\./gi, (char) => `&#${char.charCodeAt(0)};`);

function row({ created_at, sender, recipients, subject, size, has_attachments }: MessageSummary): string {
  const time = created_at.slice("2026-11-14T".length, -"Z".length);
  const cells = [time, cell(sender), cell(recipients.join(", ")), cell(subject), formatSize(size)];
  return `| ${cells.join(" | ")} | ${has_attachments ? "📎" : ""} |`;
}

function table(messages: readonly MessageSummary[]): string {
  if (messages.length === 0) return "No mail was captured.\n";
  const more = messages.length - MAX_ROWS;
  const rows = [
    "| time (UTC) | from | to | subject | size | |",
    "|---|---|---|---|---:|---|",
    ...messages.slice(0, MAX_ROWS).map(row),
    ...(more > 0 ? ["", `… and ${more} more, in the folder.`] : []),
  ];
  return `${rows.join("\n")}\n`;
}

export const report: Command = {
  name: "report",
  summary: "Save all mail to a folder and print a table of it, for CI",
  details: `  mailkeep report --output mails > mails.md
  mailkeep report --html mails.html --against golden

The table is Markdown and lists the ${MAX_ROWS} oldest mails; the folder
and the page have all mails. The page is one file and loads nothing.

Exit code: 0 saved, 1 not saved, 2 wrong usage, 3 the server does not
answer or refuses the request.`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const { html, against, mask } = settings;
    if (html === undefined && (against !== undefined || mask.length > 0))
      throw new UsageError("--against and --mask need --html, the file for the page");
    return atServer(settings, context, async (inbox) => {
      const messages = (await inbox.list()).reverse();
      await saveMails(inbox, messages, settings.output);
      if (html !== undefined) {
        const mails: Mail[] = [];
        for (const { id } of messages) mails.push(await inbox.get(id));
        const expected = against === undefined ? null : await snapshotsIn([against], mask, context);
        const compared =
          expected &&
          compare(
            expected,
            mails.map((mail) => mail.snapshot({ mask })),
          );
        await saveStream(reportPage(mails, compared), html);
      }
      context.out(table(messages));
    });
  },
};

// The page of --html: one file with all mails, which loads nothing and runs no script of a mail

/** Forbids images, fonts, scripts and other pages, also in the frames of the mails. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
  li, h2 { overflow-wrap: anywhere; }
  section { border-top: 1px solid #8886; margin-top: 2rem; }
  iframe { background: white; border: 1px solid #8886; height: 30rem; resize: vertical; width: 100%; }
  pre { overflow: auto; white-space: pre-wrap; }
  b { border-radius: .25rem; color: white; font-size: .8em; padding: .1em .4em; }
  .same { background: #57606a; } .changed { background: #9a6700; } .new { background: #1a7f37; } .gone { background: #b32424; }
  ins { background: #2da44e33; text-decoration: none; } del { background: #cf222e33; text-decoration: none; }
`;

const MARKS: Readonly<Record<string, string>> = { "-": "del", "+": "ins" };

function changes(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const marked = lines.map((line) => {
    const mark = MARKS[line.charAt(0)];
    return mark ? `<${mark}>${escapeXml(line)}</${mark}>` : escapeXml(line);
  });
  return `<pre>${marked.join("\n")}</pre>`;
}

const badge = (status: string | undefined) => (status ? ` <b class="${status}">${status}</b>` : "");
const title = (subject: string) => escapeXml(subject) || "(no subject)";

function section(mail: Mail, place: number, comparison: Comparison | undefined): string {
  const { subject, created_at, sender, recipients, html, text, attachments } = mail;
  const files = attachments.map(({ filename, size }) => `${filename} (${formatSize(size)})`).join(", ");
  const shown =
    html === ""
      ? `<pre>${escapeXml(text)}</pre>`
      : `<iframe sandbox loading="lazy" title="${title(subject)}" srcdoc="${escapeXml(sanitizeHtml(html, { inlineUrl: () => "", remote: false }).html)}"></iframe>
<details><summary>Text</summary><pre>${escapeXml(text)}</pre></details>`;
  return `<section id="mail-${place}">
<h2>${title(subject)}${badge(comparison?.status)}</h2>
<p>${escapeXml(`${sender || "<>"} → ${recipients.join(", ")}`)}, ${created_at}${files && `<br>${escapeXml(files)}`}</p>
${changes(comparison?.lines ?? [])}
${shown}
</section>
`;
}

/** `compared` is null without --against. */
export async function* reportPage(
  mails: readonly Mail[],
  compared: readonly Comparison[] | null,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const comparisons = new Map(compared?.map((one) => [one.place, one]));
  const gone = compared?.filter(({ status }) => status === "gone") ?? [];
  const items = [
    ...mails.map(
      ({ subject }, place) =>
        `<li><a href="#mail-${place}">${title(subject)}</a>${badge(comparisons.get(place)?.status)}</li>`,
    ),
    ...gone.map(({ subject, status }) => `<li>${title(subject)}${badge(status)}</li>`),
  ];
  const heading = compared
    ? `${counted(mails.length, "mail")}: ${countsOf(compared)}`
    : counted(mails.length, "mail");
  yield encoder.encode(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${heading}</title>
<style>${STYLE}</style>
<h1>${heading}</h1>
<ul>
${items.join("\n")}
</ul>
`);
  for (const [place, mail] of mails.entries())
    yield encoder.encode(section(mail, place, comparisons.get(place)));
}
