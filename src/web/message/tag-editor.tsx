// The tags of one message, edited in place: Enter or a comma ends one, the cross removes one.
import { useSignal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { hueOf } from "../format/sender.ts";
import { retag, saveTyped } from "../state/changes.ts";
import { tags } from "../state/service.ts";
import { Icon } from "../ui/icon.tsx";

export function TagEditor({ mail }: { mail: MessageSummary }) {
  const draft = useSignal("");
  const addTyped = () => void saveTyped(draft, [mail.id]);
  const remove = (tag: string) => void retag([mail.id], [], [tag]);
  return (
    <div class="row wrap tag-editor">
      {mail.tags.map((tag) => (
        <span key={tag} class="tag tag-removable" style={{ "--hue": hueOf(tag) }}>
          <bdi>{nameControls(tag)}</bdi>
          <button type="button" aria-label={`Remove tag ${nameControls(tag)}`} onClick={() => remove(tag)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <label class="tag-adder">
        <Icon name="tag" />
        <span class="visually-hidden">Add tag</span>
        <input
          list="known-tags"
          placeholder="Add tag"
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
            if (draft.value.endsWith(",")) addTyped();
          }}
          onBlur={addTyped}
          onKeyDown={(event) => {
            if (event.key === "Enter") addTyped();
            // A key that is held to clear the field stops where the field is empty.
            const isPressed = event.key === "Backspace" && !event.repeat;
            if (isPressed && draft.value === "" && mail.tags.length > 0) {
              remove(mail.tags.at(-1) ?? "");
            }
            if (event.key === "Escape") {
              draft.value = "";
              event.currentTarget.blur();
            }
          }}
        />
      </label>
      <datalist id="known-tags">
        {tags.value
          .filter(({ tag }) => !mail.tags.includes(tag))
          .map(({ tag }) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </div>
  );
}
