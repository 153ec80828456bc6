// The text body with links and marked search words, or compared with the text of the HTML.

import { signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import { Differences } from "../dialogs/compare-dialog.tsx";
import { htmlText, splitLinks, wordsByLine } from "../format/text-parts.ts";
import { hasTextPartOf } from "../state/opened.ts";
import { isMono } from "../state/settings.ts";
import { Button, CopyButton, MailText, Marked, Toggle } from "../ui/index.ts";

const SHOWN_CHARACTERS = 200_000;

const comparesHtml = signal(false);

export function TextTools({ message }: { message: Message }) {
  return (
    <>
      <Toggle label="Mono" hint="Show in a fixed-width font" setting={isMono} />
      {message.html_body !== "" && (
        <Toggle
          label="Compare"
          hint="Compare with the text of the HTML"
          icon="columns"
          setting={comparesHtml}
        />
      )}
      <CopyButton text={message.text_body} label="Copy text" />
    </>
  );
}

export function TextView({ message }: { message: Message }) {
  const isWhole = useSignal(message.text_body.length <= SHOWN_CHARACTERS);
  const text = isWhole.value ? message.text_body : message.text_body.slice(0, SHOWN_CHARACTERS);
  if (comparesHtml.value && message.html_body !== "") return <TextAndHtml message={message} />;
  if (text.trim() === "") return <p class="view-empty">This mail has no text.</p>;
  return (
    <div class="text-view">
      <Derived message={message} />
      <div class={isMono.value ? "text-part text-mono" : "text-part"}>
        <Linked text={text} />
      </div>
      {!isWhole.value && <Button label="Show all" onClick={() => (isWhole.value = true)} />}
    </div>
  );
}

function TextAndHtml({ message }: { message: Message }) {
  const html = useMemo(() => htmlText(message.html_body), [message.html_body]);
  return (
    <Differences left={wordsByLine(message.text_body)} right={html}>
      <div class="row spread compared-head">Text part</div>
      <div class="row spread compared-head">Text of the HTML</div>
    </Differences>
  );
}

/** Without this note a mail without a text part would look as if it had one. */
function Derived({ message }: { message: Message }) {
  const hasTextPart = hasTextPartOf.of(message.id).value;
  if (message.html_body === "" || hasTextPart.state !== "ready" || hasTextPart.value) return null;
  return <p class="small note">This mail has no text part. This text was made from its HTML.</p>;
}

export function Linked({ text }: { text: string }) {
  return splitLinks(text).map(({ text, found }, index) =>
    found ? (
      <a key={index} href={text} target="_blank" rel="noopener noreferrer nofollow">
        <MailText text={text} />
      </a>
    ) : (
      <Marked key={index} text={text} />
    ),
  );
}
