// A text out of a mail with what is searched for marked in it.
import { computed } from "@preact/signals";
import { markMatches, soughtBy } from "../format/matches.ts";
import { route } from "../state/route.ts";
import { MailText } from "./mail-text.tsx";

const sought = computed(() => soughtBy(route.value.filter.q));

/** `field`: which filter of the list is about this text. */
export function Marked({ text, field }: { text: string; field?: "sender" | "recipient" | "subject" }) {
  return (
    <>
      {markMatches(text, sought.value, field).map(({ text, isMatch }, index) =>
        isMatch ? (
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
