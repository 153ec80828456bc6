// Subject, people, time, tags, codes and links of the opened message in two lines. The details unfold.

import { formatSize } from "../../lib/size.ts";
import type { MessageSummary, RelayOutcome } from "../../model/index.ts";
import { getRelayOutcome } from "../api/server.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { firstRecipient, senderName } from "../format/sender.ts";
import { formatExact, formatMoment } from "../format/time.ts";
import { headersOf } from "../state/opened.ts";
import { service } from "../state/service.ts";
import { showsDetails } from "../state/settings.ts";
import { Icon } from "../ui/icon.tsx";
import { MailText, Marked, NoSubject } from "../ui/mail-text.tsx";
import { Avatar, Tag } from "../ui/names.tsx";
import { useLoaded } from "../ui/waiting.tsx";
import { Extracts } from "./extracts.tsx";
import { describePeople, type PeopleLine } from "./people.ts";

/** All of them stand in the header fields. */
const MOST_PEOPLE = 20;

export function MessageHead({ mail }: { mail: MessageSummary }) {
  const headers = headersOf.of(mail.id).value;
  const lines = headers.state === "ready" ? describePeople(mail, headers.value.headers) : [];
  const isOpen = showsDetails.value;
  return (
    <header class="message-head">
      <h2
        id="message-subject"
        class={isOpen ? "message-subject" : "message-subject cut"}
        dir="auto"
        tabIndex={-1}
        title={isOpen ? undefined : nameControls(mail.subject)}
      >
        {mail.subject ? <Marked text={mail.subject} field="subject" /> : <NoSubject />}
      </h2>
      <div class="row wrap head-line">
        <button
          type="button"
          class="head-people"
          aria-expanded={isOpen}
          title={isOpen ? "Hide details (i)" : "Show details (i)"}
          onClick={() => (showsDetails.value = !isOpen)}
        >
          <Avatar name={senderName(mail)} />
          <bdi class="cut head-sender">
            <MailText text={senderName(mail)} />
          </bdi>
          <span class="cut">
            <span aria-hidden="true">→</span>
            <span class="visually-hidden">to</span>{" "}
            <bdi>
              <MailText text={firstRecipient(mail)} />
            </bdi>
            {mail.recipients.length > 1 && ` +${mail.recipients.length - 1}`}
          </span>
          {lines.some(({ note }) => note) && <span class="pill pill-warn">envelope differs</span>}
          <Icon name={isOpen ? "up" : "down"} />
        </button>
        <span class="row hint">
          <time dateTime={mail.created_at} title={formatExact(mail.created_at)}>
            {formatMoment(mail.created_at)}
          </time>
          <span class="wide-only">{formatSize(mail.size)}</span>
        </span>
        <span class="row wrap">
          {mail.tags.map((tag) => (
            <Tag key={tag} name={tag} />
          ))}
        </span>
        {service.value?.relaying && <RelayState id={mail.id} isWhole={isOpen} />}
        <Extracts id={mail.id} />
      </div>
      {isOpen && (
        <dl class="people">
          {lines.map((line) => (
            <People key={line.label} line={line} />
          ))}
        </dl>
      )}
    </header>
  );
}

function People({ line: { label, people, note } }: { line: PeopleLine }) {
  return (
    <div class="people-line">
      <dt>{label}</dt>
      <dd class="row wrap">
        {people.slice(0, MOST_PEOPLE).map(({ name, address }) => (
          <span key={address + name}>
            {name && (
              <bdi class="person-name">
                <MailText text={name} />
              </bdi>
            )}{" "}
            {address && (
              <bdi>
                <MailText text={name ? `<${address}>` : address} />
              </bdi>
            )}
          </span>
        ))}
        {people.length > MOST_PEOPLE && ` and ${people.length - MOST_PEOPLE} more`}
        {note && <span class="pill pill-warn">{note}</span>}
      </dd>
    </div>
  );
}

const RELAY_WORDS: Record<
  string,
  { readonly text: string; readonly tone: "good" | "bad" | "warn" | "info" }
> = {
  waiting: { text: "waits for the relay", tone: "warn" },
  relayed: { text: "relayed", tone: "good" },
  failed: { text: "not relayed", tone: "bad" },
  none: { text: "not for the relay", tone: "info" },
  skipped: { text: "not for the relay", tone: "info" },
};

/** What became of it at the relay. */
function RelayState({ id, isWhole }: { id: string; isWhole: boolean }) {
  const loaded = useLoaded(
    (unwanted) => getRelayOutcome(id, unwanted),
    ({ status }) => status === "waiting",
  );
  const words = loaded.state === "ready" ? RELAY_WORDS[loaded.value.status] : undefined;
  if (loaded.state !== "ready" || !words) return null;
  const details = detailsOf(loaded.value);
  return (
    <span class="row wrap" title={details}>
      <span class={`pill pill-${words.tone}`}>{words.text}</span>
      {isWhole && <span class="hint">{details}</span>}
    </span>
  );
}

function detailsOf({ accepted, rejected, response, reason, tries }: RelayOutcome): string {
  return [
    accepted.length > 0 && `Accepted for ${accepted.join(", ")}.`,
    rejected.length > 0 && `Refused for ${rejected.join(", ")}.`,
    response,
    reason,
    tries > 1 && `Tried ${tries} times.`,
  ]
    .filter(Boolean)
    .join(" ");
}
