// The attachments as cards, and a viewer for the kinds that the page can show. None is opened as a
// web page, because it would have the rights of our page.
import { useSignal } from "@preact/signals";
import PostalMime, { type Address, type Email } from "postal-mime";
import { useEffect } from "preact/hooks";
import { formatSize } from "../../lib/numbers.ts";
import type { Attachment, Message } from "../../model/index.ts";
import { attachmentUrl, decodeText, getAttachmentBytes, zipUrl } from "../api/index.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { type AttachmentKind, kindOf, readCalendar, readCsv, readZip } from "../format/attachments.ts";
import { cutAt, htmlText, knowsDarkMode, nameControls } from "../format/text-parts.ts";
import { formatExact } from "../format/time.ts";
import { attachmentsOf } from "../state/opened.ts";
import { previewScheme } from "../state/settings.ts";
import { Download, Icon, MailText, Ready, Table, TextFacts, useLoaded, Waiting } from "../ui/index.ts";
import { darkKindFor, MailFrame } from "./html-view.tsx";

export function AttachmentsTools({ message }: { message: Message }) {
  const loaded = attachmentsOf.of(message.id).value;
  if (loaded.state !== "ready" || loaded.value.attachments.length < 2) return null;
  return <Download href={zipUrl(message.id)} name={`${message.id}.zip`} caption="Download all" />;
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
      <button type="button" class="center attachment-face" aria-label={`View ${name}`} onClick={onView}>
        <Face attachment={attachment} />
      </button>
      <div class="column attachment-facts">
        <MailText as="bdi" class="cut" title={name} text={attachment.filename} />
        <span class="cut hint" title={attachment.content_type}>
          {formatSize(attachment.size)} · {attachment.content_type}
        </span>
      </div>
      <Download href={attachmentUrl(attachment)} name={attachment.filename} label={`Download ${name}`} />
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

function AttachmentViewer({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  const kind = kindOf(attachment);
  const name = nameControls(attachment.filename);
  const isBroken = useSignal(false);
  const note = attachment.size === 0 ? "This file is empty." : "This picture cannot be shown.";
  return (
    <Dialog title={name} class="viewer" onClose={onClose}>
      {attachment.size === 0 || isBroken.value ? (
        <p class="view-empty">{note}</p>
      ) : kind === "image" ? (
        <img
          class="viewer-image"
          src={attachmentUrl(attachment)}
          alt={name}
          onError={() => (isBroken.value = true)}
        />
      ) : (
        <Fetched attachment={attachment} kind={kind} />
      )}
      <p class="row end">
        <Download href={attachmentUrl(attachment)} name={attachment.filename} caption="Download" />
      </p>
    </Dialog>
  );
}

function Fetched({ attachment, kind }: { attachment: Attachment; kind: AttachmentKind | undefined }) {
  const bytes = useLoaded(() => getAttachmentBytes(attachment));
  return <Ready of={bytes}>{(buffer) => drawn(attachment, kind, buffer)}</Ready>;
}

function drawn(attachment: Attachment, kind: AttachmentKind | undefined, buffer: ArrayBuffer) {
  if (kind === "pdf") return <Pdf buffer={buffer} name={attachment.filename} />;
  if (kind === "archive") return <Archive buffer={buffer} />;
  if (kind === "message") return <AttachedMail attachment={attachment} buffer={buffer} />;
  const text = decodeText(buffer);
  if (kind === "table") return <Csv text={text} />;
  if (kind === "event") return <Events text={text} />;
  if (!kind && text.includes("\0")) return <p class="view-empty">This kind of file cannot be shown here.</p>;
  return <Text text={text} />;
}

function Pdf({ buffer, name }: { buffer: ArrayBuffer; name: string }) {
  const address = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(new File([buffer], name, { type: "application/pdf" }));
    address.value = made;
    return () => URL.revokeObjectURL(made);
  }, [buffer]);
  if (!navigator.pdfViewerEnabled) return <p class="view-empty">This browser cannot show PDF files.</p>;
  return address.value && <iframe class="viewer-frame" title={nameControls(name)} src={address.value} />;
}

/** Finds comments, strings, tags, numbers and some keywords in source code, to colour them. */
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
  const read = readCsv(text, MOST_ROWS + 1);
  const [head = [], ...rows] = read
    .slice(0, MOST_ROWS)
    .map((row) => row.map((field, index) => <MailText key={index} text={field} />));
  const caption = read.length > MOST_ROWS && `These are the first ${MOST_ROWS} rows.`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <div class="scroll viewer-table" tabIndex={0}>
      <Table head={head} showsHead caption={caption} rows={rows} />
    </div>
  );
}

function Events({ text }: { text: string }) {
  const events = readCalendar(text, MOST_ROWS);
  if (events.length === 0) return <Text text={text} />;
  return (
    <>
      {events.map((event, index) => (
        <section key={index} class="card">
          <MailText as="h3" text={event.summary || "(no title)"} />
          <TextFacts
            Begins={event.start}
            Ends={event.end}
            Repeats={event.repetition}
            Where={event.location}
            Organizer={event.organizer}
            Attendees={event.attendees.join("\n")}
            Notes={event.description}
          />
        </section>
      ))}
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

function AttachedMail({ attachment, buffer }: { attachment: Attachment; buffer: ArrayBuffer }) {
  const read = useSignal<Email | undefined>(undefined);
  useEffect(() => {
    void PostalMime.parse(buffer, { forceRfc822Attachments: true }).then((email) => (read.value = email));
  }, [buffer]);
  if (!read.value) return null;
  const { from, to = [], cc = [], subject = "", date = "", text, html = "", attachments } = read.value;
  const files = attachments.map(({ filename, mimeType, content }) => {
    const size = typeof content === "string" ? content.length : content.byteLength;
    return `${filename ?? mimeType}, ${formatSize(size)}`;
  });
  return (
    <>
      <TextFacts
        From={people(from ? [from] : [])}
        To={people(to)}
        Cc={people(cc)}
        Subject={subject}
        Date={Number.isNaN(Date.parse(date)) ? date : formatExact(date)}
        Attachments={files.join("\n")}
      />
      {html && (
        <MailFrame
          id={attachment.message_id}
          attached={attachment}
          title="HTML body of the attached mail"
          dark={previewScheme.value === "dark" && darkKindFor(knowsDarkMode(html))}
        />
      )}
      <details open={html === ""}>
        <summary>Text</summary>
        <MailText as="pre" class="scroll viewer-text" text={text || htmlText(html)} />
      </details>
    </>
  );
}

const people = (list: readonly Address[]) =>
  list.map(({ name, address = "" }) => (name ? `${name} <${address}>` : address)).join(", ");
