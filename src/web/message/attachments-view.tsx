// The attachments as cards, and the viewer of those that the page can show. Bytes come as a blob or a text of our choosing,
// so nothing in an attachment can pass for a page of ours.
import { useSignal } from "@preact/signals";
import PostalMime, { type Address, type Email } from "postal-mime";
import { useEffect } from "preact/hooks";
import { formatSize } from "../../lib/size.ts";
import type { Attachment, Message } from "../../model/index.ts";
import { attachmentUrl, decodeText, getAttachmentBytes } from "../api/index.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { type AttachmentKind, kindOf, readCalendar, readCsv, readZip } from "../format/attachments.ts";
import { cutAt, htmlText, nameControls } from "../format/text-parts.ts";
import { attachmentsOf } from "../state/opened.ts";
import { Button, Facts, Icon, MailText, Ready, Table, useLoaded, Waiting } from "../ui/index.ts";

export function AttachmentsTools({ message }: { message: Message }) {
  const loaded = attachmentsOf.of(message.id).value;
  if (loaded.state !== "ready" || loaded.value.attachments.length < 2) return null;
  const downloadAll = () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>(".attachment a[download]")) link.click();
  };
  return <Button class="button button-quiet" icon="download" label="Download all" onClick={downloadAll} />;
}

export function AttachmentsView({ message }: { message: Message }) {
  const viewed = useSignal<Attachment | undefined>(undefined);
  const loaded = attachmentsOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <>
      <ul class="attachments">
        {loaded.value.attachments.map((attachment) => (
          <AttachmentCard
            key={attachment.id}
            attachment={attachment}
            onView={() => (viewed.value = attachment)}
          />
        ))}
      </ul>
      {viewed.value && (
        <AttachmentViewer attachment={viewed.value} onClose={() => (viewed.value = undefined)} />
      )}
    </>
  );
}

function AttachmentCard({ attachment, onView }: { attachment: Attachment; onView: () => void }) {
  const name = nameControls(attachment.filename);
  return (
    <li class="card attachment">
      {kindOf(attachment) ? (
        <button type="button" class="center attachment-face" aria-label={`View ${name}`} onClick={onView}>
          <Face attachment={attachment} />
        </button>
      ) : (
        <div class="center attachment-face">
          <Face attachment={attachment} />
        </div>
      )}
      <div class="attachment-facts">
        <MailText as="bdi" class="cut" title={name} text={attachment.filename} />
        <span class="cut hint" title={attachment.content_type}>
          {formatSize(attachment.size)} · {attachment.content_type}
        </span>
      </div>
      <a
        class="icon-button"
        href={attachmentUrl(attachment)}
        download={attachment.filename}
        aria-label={`Download ${name}`}
        title="Download"
      >
        <Icon name="download" />
      </a>
    </li>
  );
}

function Face({ attachment }: { attachment: Attachment }) {
  const isBroken = useSignal(false);
  if (kindOf(attachment) === "image" && !isBroken.value) {
    return (
      <img src={attachmentUrl(attachment)} alt="" loading="lazy" onError={() => (isBroken.value = true)} />
    );
  }
  const extension = /\.([a-z0-9]{1,5})$/i.exec(attachment.filename)?.[1] ?? "file";
  return (
    <span class="center label attachment-kind">
      <Icon name="file" />
      {extension.toUpperCase()}
    </span>
  );
}

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
  return <Ready of={bytes}>{(buffer) => drawn(attachment, kind, buffer)}</Ready>;
}

function drawn(attachment: Attachment, kind: AttachmentKind, buffer: ArrayBuffer) {
  if (kind === "pdf") return <Pdf buffer={buffer} name={attachment.filename} />;
  if (kind === "archive") return <Archive buffer={buffer} />;
  if (kind === "message") return <Nested buffer={buffer} />;
  const text = decodeText(buffer);
  if (kind === "table") return <Csv text={text} />;
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
  return address.value && <iframe class="viewer-frame" title={nameControls(name)} src={address.value} />;
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
    <pre class="scroll viewer-text" tabIndex={0}>
      {cutAt(shown, shown.matchAll(TOKENS)).map(({ text, found }, index) => (
        <MailText as="span" key={index} class={found ? `token-${kindOfToken(found)}` : ""} text={text} />
      ))}
      {text.length > shown.length && "\n… The rest is in the download."}
    </pre>
  );
}

function Csv({ text }: { text: string }) {
  const [head = [], ...rows] = readCsv(text, MOST_ROWS).map((row) =>
    row.map((field, index) => <MailText key={index} text={field} />),
  );
  const caption = rows.length >= MOST_ROWS - 1 && `These are the first ${MOST_ROWS} rows.`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <div class="scroll viewer-table" tabIndex={0}>
      <Table head={head} showsHead caption={caption} rows={rows} />
    </div>
  );
}

const textFacts = (facts: Readonly<Record<string, string>>) =>
  Object.entries(facts)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => [name, <MailText key={name} text={value} />]);

function Events({ text }: { text: string }) {
  const events = readCalendar(text);
  if (events.length === 0) return <Text text={text} />;
  return (
    <>
      {events.map((event, index) => (
        <section key={index} class="card">
          <MailText as="h3" text={event.summary || "(no title)"} />
          <Facts
            facts={textFacts({
              Begins: event.start,
              Ends: event.end,
              Where: event.location,
              Organizer: event.organizer,
              Attendees: event.attendees.join("\n"),
              Notes: event.description,
            })}
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
    list.map(({ name, address = "" }) => (name ? `${name} <${address}>` : address)).join(", ");
  return (
    <>
      <Facts
        facts={textFacts({
          From: people(from ? [from] : []),
          To: people(to),
          Cc: people(cc),
          Subject: subject,
          Date: date,
          Attachments: attachments.map(({ filename }) => filename ?? "").join("\n"),
        })}
      />
      <MailText as="pre" class="scroll viewer-text source-wrapped" text={text ?? htmlText(html)} />
    </>
  );
}

function Archive({ buffer }: { buffer: ArrayBuffer }) {
  const entries = readZip(buffer);
  if (!entries) return <p class="view-empty">This is not a ZIP archive, or it is damaged.</p>;
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
