// Shows an attached mail: main header fields, names of attachments, HTML as in a message, text.
import { useSignal } from "@preact/signals";
import PostalMime, { type Address, type Email } from "postal-mime";
import { useEffect } from "preact/hooks";
import { formatSize } from "../../lib/numbers.ts";
import type { Attachment } from "../../model/index.ts";
import { htmlText, knowsDarkMode } from "../format/text-parts.ts";
import { formatExact } from "../format/time.ts";
import { previewScheme } from "../state/settings.ts";
import { MailText, TextFacts } from "../ui/index.ts";
import { darkKindFor, MailFrame } from "./html-view.tsx";

export function AttachedMail({ attachment, buffer }: { attachment: Attachment; buffer: ArrayBuffer }) {
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
