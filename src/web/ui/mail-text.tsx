// A text out of a mail: it cannot turn the text around it, and what could turn its own is named.
import { computed } from "@preact/signals";
import { splitControls } from "../format/bidi-controls.ts";
import { markMatches, soughtBy } from "../format/matches.ts";
import { finished } from "../format/search-terms.ts";
import { route } from "../state/route.ts";

export function MailText({ text }: { text: string }) {
  return (
    <>
      {splitControls(text).map(({ text, control }, index) =>
        control ? (
          <span
            key={index}
            class="bidi-control"
            title="A control for the direction of text, shown by its name"
          >
            {control}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}

const sought = computed(() => soughtBy(finished(route.value.filter.q)));

/** `field`: which operator of the search is about this text. */
export function Marked({ text, field }: { text: string; field?: "from" | "to" | "subject" }) {
  return (
    <>
      {markMatches(text, sought.value, field).map(({ text, found }, index) =>
        found ? (
          <mark key={index}>
            <MailText text={text} />
          </mark>
        ) : (
          <MailText key={index} text={text} />
        ),
      )}
    </>
  );
}

export const NoSubject = () => <span class="hint">(no subject)</span>;
