// All mails on one HTML page. The page is a single file, loads nothing, and runs nothing that is in a mail.
import type { Mail } from "../../client/index.ts";
import { counted } from "../../lib/counted.ts";
import { formatSize } from "../../lib/size.ts";
import { type Comparison, countsOf } from "./golden.ts";
import { escapeXml } from "./verdict.ts";

/** Applies to the frames of the mails, too: no images, fonts, scripts or other pages. */
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
      : `<iframe sandbox loading="lazy" title="${title(subject)}" srcdoc="${escapeXml(html)}"></iframe>
<details><summary>Text</summary><pre>${escapeXml(text)}</pre></details>`;
  return `<section id="mail-${place}">
<h2>${title(subject)}${badge(comparison?.status)}</h2>
<p>${escapeXml(`${sender || "<>"} → ${recipients.join(", ")}`)}, ${created_at}${files && `<br>${escapeXml(files)}`}</p>
${changes(comparison?.lines ?? [])}
${shown}
</section>
`;
}

/** `compared` where there is something to compare with. */
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
