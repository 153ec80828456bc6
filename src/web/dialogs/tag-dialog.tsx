// Adds tags to, or removes them from, the ticked messages or the opened one.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { typedTags } from "../format/typed-tags.ts";
import { targets } from "../keyboard/key-actions.ts";
import { takeTyped } from "../keyboard/keys-in-turn.ts";
import { retag } from "../state/actions.ts";
import { openDialog } from "../state/layout.ts";
import { rowOf } from "../state/rows.ts";
import { saveTyped } from "../state/tag-draft.ts";
import { knownTags } from "../state/tags.ts";
import { Tag } from "../ui/tag.tsx";
import { Dialog } from "./dialog.tsx";

export function TagDialog() {
  // Mail that is deleted elsewhere leaves the selection: what is typed must not go to the mail that is next in line.
  const ids = useMemo(targets, []);
  const typed = useMemo(takeTyped, []);
  const draft = useSignal(typed.entered);
  // Before the next key is typed behind it.
  useLayoutEffect(() => {
    void saveTyped(draft, ids);
    draft.value += typed.rest;
  }, []);
  // What was scrolled far away is not at hand; the others stand for it.
  const rows = ids.flatMap((id) => rowOf(id)?.value ?? []);
  const carried = (tag: string) => rows.filter(({ tags }) => tags.includes(tag)).length;
  const close = () => {
    openDialog.value = undefined;
  };
  const add = (event: Event) => {
    event.preventDefault();
    if (typedTags(draft.value).length === 0) return close();
    void saveTyped(draft, ids);
  };
  /** What was typed and not yet added is meant, too; where it cannot be saved, it is given back. */
  const finish = async () => {
    if (typedTags(draft.value).length === 0) return close();
    await saveTyped(draft, ids);
    if (draft.peek() === "" && openDialog.peek() === "tag") close();
  };
  return (
    <Dialog title={ids.length === 1 ? "Tag message" : `Tag ${ids.length} messages`} onClose={close}>
      <ul class="tag-choices">
        {knownTags.value.map((tag) => (
          <li key={tag}>
            <label class="tag-choice">
              <input
                type="checkbox"
                checked={rows.length > 0 && carried(tag) === rows.length}
                indeterminate={carried(tag) > 0 && carried(tag) < rows.length}
                onChange={(event) => {
                  const isOn = event.currentTarget.checked;
                  void retag(ids, isOn ? [tag] : [], isOn ? [] : [tag]);
                }}
              />
              <Tag name={tag} />
            </label>
          </li>
        ))}
      </ul>
      <form class="inline-form" onSubmit={add}>
        <input
          class="input"
          autofocus
          aria-label="New tag"
          placeholder="New tag"
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Add
        </button>
      </form>
      <div class="dialog-actions">
        <button type="button" class="button button-primary" onClick={() => void finish()}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
