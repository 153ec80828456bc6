// The text body as it was written: quotes set back, addresses as links, words of the search marked.
import { useSignal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import { quotedParts, splitLinks } from "../format/text-parts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { MailText, Marked } from "../ui/mail-text.tsx";

const SHOWN_CHARACTERS = 200_000;

export function TextView({ message }: { message: Message }) {
  const isWhole = useSignal(message.text_body.length <= SHOWN_CHARACTERS);
  const text = isWhole.value ? message.text_body : message.text_body.slice(0, SHOWN_CHARACTERS);
  if (text.trim() === "") return <p class="view-empty">This message has no text.</p>;
  return (
    <div class="text-view">
      <div class="floating-copy">
        <CopyButton text={message.text_body} label="Copy text" />
      </div>
      {quotedParts(text).map(({ depth, text }, index) => (
        <div key={index} class={depth > 0 ? `text-part quote quote-${Math.min(depth, 3)}` : "text-part"}>
          <Linked text={text} />
        </div>
      ))}
      {!isWhole.value && (
        <button type="button" class="button" onClick={() => (isWhole.value = true)}>
          Show all
        </button>
      )}
    </div>
  );
}

function Linked({ text }: { text: string }) {
  return (
    <>
      {splitLinks(text).map(({ text, href }, index) =>
        href ? (
          <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
            <MailText text={text} />
          </a>
        ) : (
          <Marked key={index} text={text} />
        ),
      )}
    </>
  );
}
