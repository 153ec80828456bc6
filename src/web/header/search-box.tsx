// Search as one types: the address follows at once, the server is asked after a breath.
import { useRef } from "preact/hooks";
import { SEARCH_TERMS } from "../format/search-terms.ts";
import { navigate, route } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";

/** What is searched for is part of the address, of which servers take about 16 KB: at most 9 bytes a character. */
const MAX_CHARACTERS = 1000;

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const { q } = route.value.filter;
  return (
    <search class="search-box">
      <Icon name="search" />
      <input
        ref={input}
        id="search"
        type="search"
        placeholder="Search subject, text, people"
        title={`Words, or ${SEARCH_TERMS.join(" ")}`}
        aria-label="Search mail"
        aria-keyshortcuts="/"
        autocomplete="off"
        maxLength={MAX_CHARACTERS}
        spellcheck={false}
        value={q}
        onInput={(event) => search(event.currentTarget.value)}
      />
      {q === "" ? (
        <kbd class="search-key">/</kbd>
      ) : (
        <IconButton
          icon="close"
          label="Clear search"
          onClick={() => {
            search("");
            input.current?.focus();
          }}
        />
      )}
    </search>
  );
}

function search(q: string): void {
  const { filter } = route.peek();
  navigate({ filter: { ...filter, q } }, filter.q === "" ? "push" : "replace");
}
