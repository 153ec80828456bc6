// Search as one types: the address follows at once, the server is asked after a breath. Below the box stand the
// operators, and the senders, recipients and tags seen so far.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { nameControls } from "../format/bidi-controls.ts";
import { type Suggestion, suggest, unknownOperators, withSuggestion } from "../format/search-terms.ts";
import { ids } from "../state/list.ts";
import { mailOf } from "../state/mails.ts";
import { navigate, route } from "../state/route.ts";
import { tags } from "../state/service.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";

/** The search is part of the address, of which servers take about 16 KB: at most 9 bytes a character. */
const MAX_CHARACTERS = 1000;
/** Senders and recipients are taken from so many rows. */
const SEEN_ROWS = 200;

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
      class="row field-search search-box"
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
  const mails = ids.value.slice(0, SEEN_ROWS).flatMap((id) => (id && mailOf(id)?.peek()) || []);
  const known = {
    "from:": [...new Set(mails.map(({ preview, sender }) => preview?.from_address || sender))],
    "to:": [...new Set(mails.flatMap(({ recipients }) => recipients))],
    "tag:": tags.value.map(({ tag }) => tag),
  };
  const found = suggest(typed, known);
  const unknown = unknownOperators(typed);
  if (found.length + unknown.length === 0) return null;
  return (
    <div class="popup suggestions">
      {unknown.length > 0 && <UnknownOperators words={unknown} />}
      <ul aria-label="Suggestions">
        {found.map((suggestion) => (
          <li key={suggestion.term}>
            <button type="button" class="menu-item" onClick={() => onChoose(suggestion)}>
              <code>{nameControls(suggestion.term)}</code>
              <span class="hint">{suggestion.hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function UnknownOperators({ words }: { words: readonly string[] }) {
  return (
    <p class="note">
      {words.map((word) => nameControls(word)).join(", ")}: not an operator, searched for as it stands.
    </p>
  );
}

function search(q: string): void {
  const { filter } = route.peek();
  navigate({ filter: { ...filter, q } }, filter.q === "" ? "push" : "replace");
}
