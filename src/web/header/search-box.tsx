// Search while typing, with suggestions below the box: operators, and the senders, recipients and tags seen so far.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Suggestion, suggest, withSuggestion } from "../format/search-terms.ts";
import { nameControls } from "../format/text-parts.ts";
import { navigate, route } from "../state/route.ts";
import { recipients, senders } from "../state/seen.ts";
import { tags } from "../state/service.ts";
import { Icon, IconButton } from "../ui/index.ts";

/** The search is part of the address, of which servers take about 16 KB; a character needs up to 9 bytes. */
const MAX_CHARACTERS = 1000;

export function SearchBox() {
  const box = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isOpen = useSignal(false);
  const { q } = route.value.filter;
  const change = (typed: string) => {
    search(typed);
    input.current?.focus();
  };
  return (
    <search
      ref={box}
      class="row search-box"
      onFocusCapture={() => (isOpen.value = true)}
      onBlurCapture={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) isOpen.value = false;
      }}
      onKeyDown={({ key }) => {
        if (key === "Escape") isOpen.value = false;
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        id="search"
        type="search"
        placeholder="Search subject, text, people"
        aria-label="Search mail"
        aria-keyshortcuts="/"
        autocomplete="off"
        maxLength={MAX_CHARACTERS}
        spellcheck={false}
        value={q}
        onInput={(event) => search(event.currentTarget.value)}
      />
      {q === "" ? (
        <kbd class="wide-only">/</kbd>
      ) : (
        <IconButton icon="close" label="Clear search" onClick={() => change("")} />
      )}
      {isOpen.value && <Suggestions typed={q} onChoose={(chosen) => change(withSuggestion(q, chosen))} />}
    </search>
  );
}

function Suggestions({ typed, onChoose }: { typed: string; onChoose: (chosen: Suggestion) => void }) {
  const known = {
    "from:": [...senders.value.keys()],
    "to:": [...recipients.value.keys()],
    "tag:": tags.value.map(({ tag }) => tag),
  };
  const found = suggest(typed, known);
  if (found.length === 0) return null;
  return (
    <div class="popup suggestions">
      <ul aria-label="Suggestions">
        {found.map((suggestion) => (
          <li key={suggestion.term}>
            <button type="button" class="row menu-item" onClick={() => onChoose(suggestion)}>
              <code>{nameControls(suggestion.term)}</code>
              <span class="hint">{suggestion.hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function search(q: string): void {
  const { filter } = route.peek();
  navigate({ filter: { ...filter, q } }, filter.q === "" ? "push" : "replace");
}
