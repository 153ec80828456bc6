// The attachments as cards; pictures and PDF files open in a viewer, everything can be downloaded.
import { useSignal } from "@preact/signals";
import type { Attachment, Message } from "../../model/index.ts";
import { attachmentUrl } from "../api/messages.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { formatSize } from "../format/size.ts";
import { attachmentsOf } from "../state/opened.ts";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { AttachmentViewer } from "./attachment-viewer.tsx";
import { type ViewableKind, viewableKind } from "./viewable-kind.ts";

export function AttachmentsView({ message }: { message: Message }) {
  const viewed = useSignal<Attachment | undefined>(undefined);
  const loaded = attachmentsOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <>
      <ul class="attachments">
        {loaded.value.map((attachment) => (
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
  const kind = viewableKind(attachment);
  const name = nameControls(attachment.filename);
  return (
    <li class="attachment">
      {kind ? (
        <button type="button" class="attachment-face" aria-label={`View ${name}`} onClick={onView}>
          <Face attachment={attachment} kind={kind} />
        </button>
      ) : (
        <div class="attachment-face">
          <Face attachment={attachment} kind={kind} />
        </div>
      )}
      <div class="attachment-facts">
        <bdi class="attachment-name" title={name}>
          <MailText text={attachment.filename} />
        </bdi>
        <span class="hint" title={attachment.content_type}>
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

function Face({ attachment, kind }: { attachment: Attachment; kind: ViewableKind | undefined }) {
  const isBroken = useSignal(false);
  if (kind === "image" && !isBroken.value) {
    return (
      <img
        src={attachmentUrl(attachment)}
        alt=""
        loading="lazy"
        onError={() => {
          isBroken.value = true;
        }}
      />
    );
  }
  const extension = /\.([a-z0-9]{1,5})$/i.exec(attachment.filename)?.[1] ?? "file";
  return (
    <span class="attachment-kind">
      <Icon name="file" />
      {extension.toUpperCase()}
    </span>
  );
}
