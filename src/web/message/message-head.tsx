// Subject, people, time, size and tags of the opened message.
import { useSignal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { senderName } from "../format/sender.ts";
import { formatSize } from "../format/size.ts";
import { formatExact, formatMoment } from "../format/time.ts";
import { headersOf } from "../state/opened.ts";
import { Avatar } from "../ui/avatar.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { describePeople, type PeopleLine, senderLine } from "./people.ts";
import { Subject } from "./subject.tsx";
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
