// The text body as it was written: quotes set back, addresses as links, words of the search marked.
import { useSignal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import { splitLinks } from "../format/text-links.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Marked } from "../ui/marked.tsx";

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
      {paragraphs(text).map(({ depth, text }, index) => (
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

/** Neighbouring lines of the same quoting depth form one part. */
function paragraphs(text: string): { depth: number; text: string }[] {
  const parts: { depth: number; lines: string[] }[] = [];
  for (const line of text.replace(/\s+$/, "").split(/\r?\n/)) {
    const marks = /^(?:> ?)+/.exec(line)?.[0] ?? "";
    const depth = marks.replaceAll(" ", "").length;
    const rest = line.slice(marks.length);
    const last = parts.at(-1);
    if (last?.depth === depth) last.lines.push(rest);
    else parts.push({ depth, lines: [rest] });
  }
  return parts.map(({ depth, lines }) => ({ depth, text: lines.join("\n") }));
}
