// The attachments as cards: those that the page can show open in a viewer, every one can be downloaded.
import { useSignal } from "@preact/signals";
import { formatSize } from "../../lib/size.ts";
import type { Attachment, Message } from "../../model/index.ts";
import { attachmentUrl } from "../api/messages.ts";
import { kindOf } from "../format/attachment-kind.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { attachmentsOf } from "../state/opened.ts";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { AttachmentViewer } from "./attachment-viewer.tsx";

export function AttachmentsTools({ message }: { message: Message }) {
  const loaded = attachmentsOf.of(message.id).value;
  if (loaded.state !== "ready" || loaded.value.attachments.length < 2) return null;
  const downloadAll = () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>(".attachment a[download]")) link.click();
  };
  return (
    <button type="button" class="button button-quiet" onClick={downloadAll}>
      <Icon name="download" />
      Download all
    </button>
  );
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
        <button type="button" class="attachment-face" aria-label={`View ${name}`} onClick={onView}>
          <Face attachment={attachment} />
        </button>
      ) : (
        <div class="attachment-face">
          <Face attachment={attachment} />
        </div>
      )}
      <div class="attachment-facts">
        <bdi class="cut" title={name}>
          <MailText text={attachment.filename} />
        </bdi>
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
    <span class="label attachment-kind">
      <Icon name="file" />
      {extension.toUpperCase()}
    </span>
  );
}
