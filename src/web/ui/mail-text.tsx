// Pieces of a mail as the page shows them: texts, senders, tags and times.
import { computed, signal } from "@preact/signals";
import { createElement, type JSX } from "preact";
import { finished } from "../format/search-terms.ts";
import { markMatches, nameControls, soughtBy, splitControls } from "../format/text-parts.ts";
import { formatExact, formatRelative, hueOf, initials } from "../format/time.ts";
import { route } from "../state/route.ts";

interface MailTextProps extends Omit<JSX.IntrinsicElements["span"], "as"> {
  text: string;
  as?: keyof JSX.IntrinsicElements | undefined;
}

/** Shows direction controls by their names: they must not change the text around them. */
export function MailText({ text, as, ...rest }: MailTextProps) {
  const pieces = splitControls(text).map(({ text, control }, index) =>
    control ? (
      <span key={index} class="bidi-control" title="An invisible text-direction character, shown by its name">
        {control}
      </span>
    ) : (
      text
    ),
  );
  return as ? createElement(as, rest, pieces) : pieces;
}

const sought = computed(() => soughtBy(finished(route.value.filter.q)));

export function Marked({ text, field }: { text: string; field?: "from" | "to" | "subject" }) {
  return markMatches(text, sought.value, field).map(({ text, found }, index) => (
    <MailText key={index} as={found && "mark"} text={text} />
  ));
}

export const NoSubject = () => <span class="hint">(no subject)</span>;

export function Avatar({ name }: { name: string }) {
  return (
    <span class="center fixed avatar" style={{ "--hue": hueOf(name) }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

export function Tag({ name }: { name: string }) {
  return (
    <span class="tag" style={{ "--hue": hueOf(name) }}>
      <bdi>{nameControls(name)}</bdi>
    </span>
  );
}

const TICK_MS = 20_000;

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, TICK_MS);

export function Moment({ iso }: { iso: string }) {
  return (
    <time class="hint" dateTime={iso} title={formatExact(iso)}>
      {formatRelative(iso, Math.max(now.value, Date.now()))}
    </time>
  );
}
