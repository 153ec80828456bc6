// A text with the words of the search marked in it.
import { computed } from "@preact/signals";
import { markMatches, searchWords } from "../format/matches.ts";
import { route } from "../state/route.ts";

const words = computed(() => searchWords(route.value.filter.q));

export function Marked({ text }: { text: string }) {
  if (words.value.length === 0) return <>{text}</>;
  return (
    <>
      {markMatches(text, words.value).map(({ text, isMatch }, index) =>
        isMatch ? <mark key={index}>{text}</mark> : text,
      )}
    </>
  );
}
