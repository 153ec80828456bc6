// Searches while typing, with suggestions: operators, and known senders, recipients and tags.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { suggest, withSuggestion } from "../format/search-terms.ts";
import { nameControls } from "../format/text-parts.ts";
import { navigate, route } from "../state/route.ts";
import { recipients, senders } from "../state/seen.ts";
import { tags } from "../state/service.ts";
import { Icon, IconButton } from "../ui/index.ts";

/** The search is part of the URL. A character takes up to 9 bytes; servers accept about 16 KB. */
const MAX_CHARACTERS = 1000;

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  /** Enter, or leaving the box, ends a search. The next search gets its own history entry. */
  const isNew = useRef(true);
  useEffect(() => {
    document.getElementById(`suggestion-${active.value}`)?.scrollIntoView({ block: "nearest" });
  }, [active.value]);
  const { q } = route.value.filter;
  const found = isOpen.value ? suggestions(q) : [];
  const type = (typed: string) => {
    const { filter } = route.peek();
    navigate({ filter: { ...filter, q: typed } }, isNew.current || filter.q === "" ? "push" : "replace");
    isNew.current = false;
    isOpen.value = true;
    active.value = -1;
  };
  const change = (typed: string) => {
    type(typed);
    input.current?.focus();
  };
  const choose = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.isComposing) isNew.current = true;
    const chosen = found[active.value];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (found.length === 0 || event.isComposing || !(step || chosen)) return;
    if (step) active.value = ((active.value + step + found.length + 2) % (found.length + 1)) - 1;
    else if (event.key === "Enter" && chosen) change(withSuggestion(q, chosen));
    else if (event.key === "Escape") active.value = -1;
    else return;
    event.preventDefault();
  };
  return (
    <search
      class="row search-box"
      // A press on a suggestion leaves the focus in the box.
      onMouseDown={(event) => event.target !== input.current && event.preventDefault()}
    >
      <Icon name="search" />
      <input
        ref={input}
        id="search"
        inputMode="search"
        placeholder="Search subject, text, people"
        role="combobox"
        aria-label="Search mail"
        aria-keyshortcuts="/"
        aria-controls="suggestions"
        aria-expanded={found.length > 0}
        aria-activedescendant={active.value < 0 ? undefined : `suggestion-${active.value}`}
        autocomplete="off"
        maxLength={MAX_CHARACTERS}
        spellcheck={false}
        value={q}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={choose}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => {
          isOpen.value = false;
          isNew.current = true;
        }}
      />
      {q !== "" && <IconButton icon="close" label="Clear search" onClick={() => change("")} />}
      {found.length > 0 && (
        <div id="suggestions" class="popup scroll suggestions" role="listbox" aria-label="Suggestions">
          {found.map((suggestion, index) => (
            <button
              key={suggestion.term}
              id={`suggestion-${index}`}
              type="button"
              class="row wrap menu-item"
              role="option"
              aria-selected={index === active.value}
              tabIndex={-1}
              onClick={() => change(withSuggestion(q, suggestion))}
            >
              <code>{nameControls(suggestion.term)}</code>
              <span class="hint">{suggestion.hint}</span>
            </button>
          ))}
        </div>
      )}
    </search>
  );
}

const suggestions = (typed: string) =>
  suggest(typed, {
    "from:": [...senders.value.keys()],
    "to:": [...recipients.value.keys()],
    "tag:": tags.value.map(({ tag }) => tag),
  });
