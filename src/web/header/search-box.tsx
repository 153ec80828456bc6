// Search as one types: the address follows at once, the server is asked after a breath.
import { useRef } from "preact/hooks";
import { SEARCH_TERMS } from "../format/search-terms.ts";
import { changeFilter, route } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const { q } = route.value.filter;
  const search = (text: string) => changeFilter({ q: text }, q === "" ? "push" : "replace");
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
