// Shows an attachment large. The bytes come as a blob or a text of our choosing, so nothing in an attachment can pass
// for a page of ours.
import { useSignal } from "@preact/signals";
import PostalMime, { type Address, type Email } from "postal-mime";
import { useEffect } from "preact/hooks";
import { formatSize } from "../../lib/size.ts";
import type { Attachment } from "../../model/index.ts";
import { attachmentUrl, decodeText, getAttachmentBytes } from "../api/messages.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { type AttachmentKind, kindOf } from "../format/attachment-kind.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { readCalendar } from "../format/calendar.ts";
import { readCsv } from "../format/csv.ts";
import { htmlText } from "../format/html-traits.ts";
import { cutAt } from "../format/text-parts.ts";
import { readZip } from "../format/zip.ts";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { useLoaded, Waiting } from "../ui/waiting.tsx";

const MOST_ROWS = 500;
const MOST_CHARACTERS = 300_000;

export function AttachmentViewer({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  const kind = kindOf(attachment);
  const name = nameControls(attachment.filename);
  return (
    <Dialog title={name} class="viewer" onClose={onClose}>
      {kind === "image" ? (
        <img class="viewer-image" src={attachmentUrl(attachment)} alt={name} />
      ) : (
        kind && <Fetched attachment={attachment} kind={kind} />
      )}
      <p class="row end">
        <a class="button" href={attachmentUrl(attachment)} download={attachment.filename}>
          <Icon name="download" />
          Download
        </a>
      </p>
    </Dialog>
  );
}

function Fetched({ attachment, kind }: { attachment: Attachment; kind: AttachmentKind }) {
  const bytes = useLoaded(() => getAttachmentBytes(attachment));
  if (bytes.state !== "ready") return <Waiting loaded={bytes} />;
  const buffer = bytes.value;
  if (kind === "pdf") return <Pdf buffer={buffer} name={attachment.filename} />;
  if (kind === "archive") return <Archive buffer={buffer} />;
  if (kind === "message") return <Nested buffer={buffer} />;
  const text = decodeText(buffer);
  if (kind === "table") return <Table text={text} />;
  if (kind === "event") return <Events text={text} />;
  return <Text text={isJson(attachment) ? prettyJson(text) : text} />;
}

function Pdf({ buffer, name }: { buffer: ArrayBuffer; name: string }) {
  const address = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(new File([buffer], name, { type: "application/pdf" }));
    address.value = made;
    return () => URL.revokeObjectURL(made);
  }, [buffer]);
  return address.value ? (
    <iframe class="viewer-frame" title={nameControls(name)} src={address.value} />
  ) : null;
}

const isJson = ({ content_type, filename }: Attachment) =>
  /json/i.test(content_type) || /\.json$/i.test(filename);

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Comments, strings, tags, numbers and a few words: enough to find one's way in most languages. */
const TOKENS =
  /(?<comment><!--[\s\S]{0,2000}?-->|\/\*[\s\S]{0,2000}?\*\/|^\s{0,99}#.*$)|(?<string>"(?:\\.|[^"\\\n]){0,2000}"|'(?:\\.|[^'\\\n]){0,2000}')|(?<tag><\/?[a-zA-Z][\w-]*|\/?>)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b(?:true|false|null|function|const|let|return|if|else|import|export|class)\b)/gm;

function Text({ text }: { text: string }) {
  const shown = text.slice(0, MOST_CHARACTERS);
  const kindOfToken = (found: RegExpExecArray) =>
    Object.entries(found.groups ?? {}).find(([, token]) => token !== undefined)?.[0];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <pre class="viewer-text" tabIndex={0}>
      {cutAt(shown, shown.matchAll(TOKENS)).map(({ text, found }, index) => (
        <span key={index} class={found && `token-${kindOfToken(found)}`}>
          <MailText text={text} />
        </span>
      ))}
      {text.length > shown.length && "\n… The rest is in the download."}
    </pre>
  );
}

function Table({ text }: { text: string }) {
  const [head = [], ...rows] = readCsv(text, MOST_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <div class="viewer-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={index} scope="col">
                <MailText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((field, column) => (
                <td key={column}>
                  <MailText text={field} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length >= MOST_ROWS - 1 && <p class="hint">These are the first {MOST_ROWS} rows.</p>}
    </div>
  );
}

function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <MailText text={value} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Events({ text }: { text: string }) {
  const events = readCalendar(text);
  if (events.length === 0) return <Text text={text} />;
  return (
    <>
      {events.map((event, index) => (
        <section key={index} class="card">
          <h3>
            <MailText text={event.summary || "(no title)"} />
          </h3>
          <Facts
            facts={[
              ["Begins", event.start],
              ["Ends", event.end],
              ["Where", event.location],
              ["Organizer", event.organizer],
              ["Attendees", event.attendees.join("\n")],
              ["Notes", event.description],
            ]}
          />
        </section>
      ))}
    </>
  );
}

function Nested({ buffer }: { buffer: ArrayBuffer }) {
  const read = useSignal<Email | undefined>(undefined);
  useEffect(() => {
    void PostalMime.parse(buffer).then((email) => (read.value = email));
  }, [buffer]);
  if (!read.value) return null;
  const { from, to = [], cc = [], subject = "", date = "", text, html = "", attachments } = read.value;
  const people = (list: readonly Address[]) =>
    list.map(({ name, address = "" }) => (name ? `${name} <${address}>` : address));
  return (
    <>
      <Facts
        facts={[
          ["From", people(from ? [from] : []).join()],
          ["To", people(to).join(", ")],
          ["Cc", people(cc).join(", ")],
          ["Subject", subject],
          ["Date", date],
          ["Attachments", attachments.map(({ filename }) => filename ?? "").join("\n")],
        ]}
      />
      <pre class="viewer-text source-wrapped">
        <MailText text={text ?? htmlText(html)} />
      </pre>
    </>
  );
}

function Archive({ buffer }: { buffer: ArrayBuffer }) {
  const entries = readZip(buffer);
  if (!entries) return <p class="view-empty">This is no ZIP archive, or a damaged one.</p>;
  return (
    <ul>
      {entries.map(({ name, size }, index) => (
        <li key={index} class="row spread">
          <MailText text={name} />
          <span class="hint">{formatSize(size)}</span>
        </li>
      ))}
    </ul>
  );
}
