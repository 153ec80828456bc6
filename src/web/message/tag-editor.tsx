// The tags of one message, edited in place: Enter or a comma ends one, the cross removes one.
import { useSignal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { allTyped, splitTyped } from "../format/typed-tags.ts";
import { MAX_TAGS, retag } from "../state/actions.ts";
import { knownTags } from "../state/tags.ts";
import { Icon } from "../ui/icon.tsx";

export function TagEditor({ mail }: { mail: MessageSummary }) {
  const draft = useSignal("");
  const add = (tags: readonly string[]) => {
    if (tags.length > 0) void retag([mail.id], tags, []);
  };
  const addAll = () => {
    add(allTyped(draft.value));
    draft.value = "";
  };
  const remove = (tag: string) => void retag([mail.id], [], [tag]);
  return (
    <div class="tag-editor">
      {mail.tags.map((tag) => (
        <span key={tag} class="tag tag-removable">
          <bdi>{nameControls(tag)}</bdi>
          <button type="button" aria-label={`Remove tag ${nameControls(tag)}`} onClick={() => remove(tag)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {mail.tags.length < MAX_TAGS && (
        <label class="tag-adder">
          <Icon name="tag" />
          <span class="visually-hidden">Add tag</span>
          <input
            list="known-tags"
            placeholder="Add tag"
            value={draft.value}
            onInput={(event) => {
              const { ended, rest } = splitTyped(event.currentTarget.value);
              add(ended);
              draft.value = rest;
              // Without a change of the draft nothing is drawn, and the comma would stay.
              event.currentTarget.value = rest;
            }}
            onBlur={addAll}
            onKeyDown={(event) => {
              if (event.key === "Enter") addAll();
              if (event.key === "Backspace" && draft.value === "" && mail.tags.length > 0) {
                remove(mail.tags.at(-1) ?? "");
              }
              if (event.key === "Escape") {
                draft.value = "";
                event.currentTarget.blur();
              }
            }}
          />
        </label>
      )}
      <datalist id="known-tags">
        {knownTags.value
          .filter((tag) => !mail.tags.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </div>
  );
}
