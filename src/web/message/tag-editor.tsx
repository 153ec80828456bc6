// The tags of one message, edited in place: type and press Enter, or remove with the cross.
import { useSignal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { setTags } from "../state/actions.ts";
import { knownTags } from "../state/tags.ts";
import { Icon } from "../ui/icon.tsx";

const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 50;

export function TagEditor({ mail }: { mail: MessageSummary }) {
  const draft = useSignal("");
  const add = () => {
    const tag = draft.value.trim();
    draft.value = "";
    if (tag !== "" && !mail.tags.includes(tag)) void setTags(mail.id, [...mail.tags, tag]);
  };
  const remove = (tag: string) =>
    void setTags(
      mail.id,
      mail.tags.filter((other) => other !== tag),
    );
  return (
    <div class="tag-editor">
      {mail.tags.map((tag) => (
        <span key={tag} class="tag tag-removable">
          {tag}
          <button type="button" aria-label={`Remove tag ${tag}`} onClick={() => remove(tag)}>
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
            maxLength={MAX_TAG_CHARACTERS}
            value={draft.value}
            onInput={(event) => {
              draft.value = event.currentTarget.value;
            }}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key === "Enter") add();
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
