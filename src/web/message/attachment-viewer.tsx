// Shows a picture or a PDF file large. The bytes come as a blob with a type of our choosing,
// so nothing in an attachment can pass for a page of ours.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Attachment } from "../../model/index.ts";
import type { ApiFailure } from "../api/client.ts";
import { attachmentUrl, getAttachmentBytes } from "../api/messages.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { nameControls } from "../format/bidi-controls.ts";
import { type Loaded, untilAnswered } from "../state/requests.ts";
import { Icon } from "../ui/icon.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { viewableKind } from "./viewable-kind.ts";

export function AttachmentViewer({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  return (
    <Dialog title={nameControls(attachment.filename)} class="viewer" onClose={onClose}>
      {viewableKind(attachment) === "pdf" ? (
        <PdfFrame attachment={attachment} />
      ) : (
        <Picture attachment={attachment} />
      )}
      <p class="dialog-actions">
        <a class="button" href={attachmentUrl(attachment)} download={attachment.filename}>
          <Icon name="download" />
          Download
        </a>
      </p>
    </Dialog>
  );
}

function Picture({ attachment }: { attachment: Attachment }) {
  const isBroken = useSignal(false);
  if (isBroken.value) {
    return (
      <p class="view-empty" role="alert">
        This browser cannot show the picture. It may be damaged, or of a kind for another program.
      </p>
    );
  }
  return (
    <img
      class="viewer-image"
      src={attachmentUrl(attachment)}
      alt={nameControls(attachment.filename)}
      onError={() => {
        isBroken.value = true;
      }}
    />
  );
}

function PdfFrame({ attachment }: { attachment: Attachment }) {
  const address = useSignal<Loaded<string>>({ state: "loading" });
  useEffect(() => {
    let made: string | undefined;
    const closing = new AbortController();
    const fail = (failure: ApiFailure) => {
      address.value = { state: "failed", failure };
    };
    untilAnswered(() => getAttachmentBytes(attachment), closing.signal, fail)
      .then((bytes) => {
        if (closing.signal.aborted) return;
        made = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
        address.value = { state: "ready", value: made };
      })
      .catch(() => undefined);
    return () => {
      closing.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [attachment.id]);
  if (address.value.state !== "ready") return <Waiting loaded={address.value} />;
  return <iframe class="viewer-frame" title={nameControls(attachment.filename)} src={address.value.value} />;
}
