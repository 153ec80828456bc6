// A text out of a mail with the words of the search marked in it.
import { computed } from "@preact/signals";
import { markMatches, searchWords } from "../format/matches.ts";
import { readSearch } from "../format/search-terms.ts";
import { route } from "../state/route.ts";
import { MailText } from "./mail-text.tsx";

const words = computed(() => searchWords(readSearch(route.value.filter.q).text));

export function Marked({ text }: { text: string }) {
  if (words.value.length === 0) return <MailText text={text} />;
  return (
    <>
      {markMatches(text, words.value).map(({ text, isMatch }, index) =>
        isMatch ? <mark key={index}>{text}</mark> : <MailText key={index} text={text} />,
      )}
    </>
  );
}
