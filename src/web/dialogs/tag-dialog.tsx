// Adds tags to, or removes them from, the ticked messages or the opened one. Enter saves what was typed.
import { useSignal } from "@preact/signals";
import { retag } from "../state/changes.ts";
import { closeDialog, dialog } from "../state/layout.ts";
import { mailOf } from "../state/mails.ts";
import { tags } from "../state/service.ts";
import { Tag } from "../ui/names.tsx";
import { Dialog } from "./dialog.tsx";

export function TagDialog({ ids }: { ids: readonly string[] }) {
  const draft = useSignal("");
  // Mails that were scrolled far away are not at hand; the others stand for them.
  const mails = ids.flatMap((id) => mailOf(id)?.value ?? []);
  const known = new Set([...tags.value.map(({ tag }) => tag), ...mails.flatMap((mail) => mail.tags)]);
  const carried = (tag: string) => mails.filter(({ tags }) => tags.includes(tag)).length;
  /** What was not saved stays in the field. */
  const save = async (event: Event) => {
    event.preventDefault();
    const names = draft
      .peek()
      .split(",")
      .map((name) => name.trim());
    const added = names.filter((name) => name !== "");
    const isSaved = added.length === 0 || (await retag(ids, added, []));
    if (isSaved && dialog.peek()?.name === "tag") closeDialog();
  };
  return (
    <Dialog title={ids.length === 1 ? "Tag message" : `Tag ${ids.length} messages`} onClose={closeDialog}>
      <ul class="stack">
        {[...known].sort().map((tag) => (
          <li key={tag}>
            <label class="row">
              <input
                type="checkbox"
                checked={mails.length > 0 && carried(tag) === mails.length}
                indeterminate={carried(tag) > 0 && carried(tag) < mails.length}
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
      <form class="row" onSubmit={(event) => void save(event)}>
        <input
          class="input"
          autofocus
          aria-label="New tag"
          placeholder="New tags, with commas"
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
        />
        <button type="submit" class="button button-primary">
          Done
        </button>
      </form>
    </Dialog>
  );
}
