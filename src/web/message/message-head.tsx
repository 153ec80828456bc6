// Subject, people, time, size and tags of the opened message.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { MessageSummary } from "../../model/index.ts";
import { senderName } from "../format/sender.ts";
import { formatSize } from "../format/size.ts";
import { formatExact, formatMoment } from "../format/time.ts";
import { headersOf } from "../state/opened.ts";
import { Avatar } from "../ui/avatar.tsx";
import { MailText, Marked } from "../ui/mail-text.tsx";
import { describePeople, type PeopleLine, senderLine } from "./people.ts";
import { TagEditor } from "./tag-editor.tsx";

/** More than ALL_PEOPLE are cut to FIRST_PEOPLE, so that never just one is left out. */
const ALL_PEOPLE = 8;
const FIRST_PEOPLE = 5;

export function MessageHead({ mail }: { mail: MessageSummary }) {
  const headers = headersOf.of(mail.id).value;
  const lines = headers.state === "ready" ? describePeople(mail, headers.value) : [senderLine(mail)];
  return (
    <header class="message-head">
      <Subject text={mail.subject} />
      <div class="message-people">
        <Avatar name={senderName(mail)} />
        <dl class="people">
          {lines.map((line) => (
            <People key={line.label} line={line} />
          ))}
        </dl>
        <p class="message-facts">
          <time dateTime={mail.created_at} title={formatExact(mail.created_at)}>
            {formatMoment(mail.created_at)}
          </time>
          <span>{formatSize(mail.size)}</span>
        </p>
      </div>
      <TagEditor mail={mail} />
    </header>
  );
}

function People({ line: { label, people, note } }: { line: PeopleLine }) {
  const showsAll = useSignal(people.length <= ALL_PEOPLE);
  const shown = showsAll.value ? people : people.slice(0, FIRST_PEOPLE);
  return (
    <div class="people-line">
      <dt>{label}</dt>
      <dd>
        {shown.map(({ name, address }) => (
          <span key={address + name} class="person">
            {name && (
              <bdi class="person-name">
                <MailText text={name} />
              </bdi>
            )}{" "}
            {address && (
              <bdi class="person-address">
                <MailText text={name ? `<${address}>` : address} />
              </bdi>
            )}
          </span>
        ))}
        {!showsAll.value && (
          <button
            type="button"
            class="link-button"
            onClick={() => {
              showsAll.value = true;
            }}
          >
            and {people.length - shown.length} more
          </button>
        )}
        {note && <span class="people-note">{note}</span>}
      </dd>
    </div>
  );
}

/** A subject that would push everything else out of sight is cut until asked for. */
function Subject({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isCut = useSignal(false);
  const isWhole = useSignal(false);
  useEffect(() => {
    const element = heading.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (!isWhole.peek()) isCut.value = element.scrollHeight > element.clientHeight + 1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="subject-block">
      <h2
        ref={heading}
        id="message-subject"
        class={isWhole.value ? "message-subject" : "message-subject is-clamped"}
        dir="auto"
        tabIndex={-1}
      >
        {text ? <Marked text={text} field="subject" /> : <span class="is-missing">(no subject)</span>}
      </h2>
      {isCut.value && (
        <button
          type="button"
          class="link-button"
          aria-expanded={isWhole.value}
          onClick={() => (isWhole.value = !isWhole.value)}
        >
          {isWhole.value ? "Show less" : "Show the whole subject"}
        </button>
      )}
    </div>
  );
}
