// Subject, people, time, tags, codes and links of the opened message in two lines, and its details.
import { formatSize } from "../../lib/numbers.ts";
import type { MessageLink, MessageSummary, RelayOutcome } from "../../model/index.ts";
import { getRelayOutcome } from "../api/index.ts";
import { detailsOf } from "../dialogs/release-dialog.tsx";
import { nameControls } from "../format/text-parts.ts";
import { firstRecipient, formatExact, formatMoment, senderName } from "../format/time.ts";
import { codesOf, headersOf, linksOf } from "../state/opened.ts";
import { service } from "../state/service.ts";
import { showsDetails } from "../state/settings.ts";
import { Avatar, CopyButton, Facts, Icon, MailText, Marked, NoSubject, Tag, useLoaded } from "../ui/index.ts";
import { describePeople, type PeopleLine } from "./people.ts";

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
          <MailText as="bdi" class="cut head-sender" text={senderName(mail)} />
          <span class="cut">
            <span aria-hidden="true">→</span>
            <span class="visually-hidden">to</span> <MailText as="bdi" text={firstRecipient(mail)} />
            {mail.recipients.length > 1 && ` +${mail.recipients.length - 1}`}
          </span>
          {lines.some(({ note }) => note) && <span class="pill pill-warn">envelope differs</span>}
          <Icon name={isOpen ? "up" : "down"} />
        </button>
        <span class="row fixed hint">
          <time dateTime={mail.created_at} title={formatExact(mail.created_at)}>
            {formatMoment(mail.created_at)}
          </time>
          <span class="wide-only">{formatSize(mail.size)}</span>
        </span>
        <div class="row head-chips" tabIndex={mail.tags[0] || service.value?.relaying ? 0 : undefined}>
          <Extracts id={mail.id} />
          {service.value?.relaying && <RelayState id={mail.id} isWhole={isOpen} />}
          {mail.tags.map((tag) => (
            <Tag key={tag} name={tag} />
          ))}
        </div>
      </div>
      {isOpen && <Facts facts={lines.map((line) => [line.label, <People key={line.label} line={line} />])} />}
    </header>
  );
}

function People({ line: { people, note } }: { line: PeopleLine }) {
  return (
    <span class="row wrap">
      {people.slice(0, MOST_PEOPLE).map(({ name, address }) => (
        <span key={address + name}>
          {name && <MailText as="bdi" class="person-name" text={name} />}{" "}
          {address && <MailText as="bdi" text={name ? `<${address}>` : address} />}
        </span>
      ))}
      {people.length > MOST_PEOPLE && ` and ${people.length - MOST_PEOPLE} more`}
      {note && <span class="pill pill-warn">{note}</span>}
    </span>
  );
}

const RELAY_WORDS: Partial<Record<RelayOutcome["status"], { text: string; tone: string }>> = {
  waiting: { text: "waiting for the relay", tone: "warn" },
  relayed: { text: "relayed", tone: "good" },
  failed: { text: "relay failed", tone: "bad" },
  none: { text: "not relayed", tone: "info" },
  skipped: { text: "not relayed", tone: "info" },
};

function RelayState({ id, isWhole }: { id: string; isWhole: boolean }) {
  const loaded = useLoaded(
    (unwanted) => getRelayOutcome(id, unwanted),
    ({ status }) => status === "waiting",
  );
  const words = loaded.state === "ready" ? RELAY_WORDS[loaded.value.status] : undefined;
  if (loaded.state !== "ready" || !words) return null;
  const details = detailsOf(loaded.value);
  return (
    <span class="row" title={details}>
      <span class={`pill pill-${words.tone}`}>{words.text}</span>
      {isWhole && <span class="hint">{details}</span>}
    </span>
  );
}

const MOST_CODES = 2;
const MOST_LINKS = 2;

/** The purposes of links that people look for, most wanted first. */
const ROLES: Readonly<Record<string, string>> = {
  verify: "Confirm",
  "reset-password": "Reset password",
  "sign-in": "Sign in",
  "view-online": "View online",
};

function Extracts({ id }: { id: string }) {
  const codes = codesOf.of(id).value;
  const links = linksOf.of(id).value;
  const shownCodes = codes.state === "ready" ? codes.value.codes.slice(0, MOST_CODES) : [];
  const shownLinks = links.state === "ready" ? usefulLinks(links.value.links) : [];
  if (shownCodes.length + shownLinks.length === 0) return null;
  return (
    <ul class="row" aria-label="Codes and links">
      {shownCodes.map(({ code, context }) => (
        <li key={code} class="chip extract" title={nameControls(context)}>
          <code>{code}</code>
          <CopyButton text={code} label={`Copy code ${code}`} />
        </li>
      ))}
      {shownLinks.map(({ url, label }) => (
        <li key={url} class="chip extract">
          <a class="row" href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
            <Icon name="open" />
            <bdi class="cut">{nameControls(label)}</bdi>
          </a>
          <CopyButton text={url} label={`Copy link ${nameControls(label)}`} />
        </li>
      ))}
    </ul>
  );
}

function usefulLinks(links: readonly MessageLink[]): { url: string; label: string }[] {
  const openable = links.filter(({ url, where }) => where !== "headers" && /^https?:/i.test(url));
  const byRole = Object.entries(ROLES).flatMap(([role, label]) =>
    openable
      .filter(({ rel }) => rel.some((hint) => hint === role))
      .map(({ url, text }, index) => ({
        url,
        label: index > 0 ? `${label}: ${text || hostOf(url)}` : label,
      })),
  );
  const [first] = openable.filter(({ rel }) => rel.length === 0);
  const other =
    first && byRole.length === 0 ? [{ url: first.url, label: first.text || hostOf(first.url) }] : [];
  return [...new Map([...byRole, ...other].map((link) => [link.url, link])).values()].slice(0, MOST_LINKS);
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
