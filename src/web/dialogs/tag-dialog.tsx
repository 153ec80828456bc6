// Adds tags to messages and removes them. Enter saves the typed tags.
import { retag } from "../state/changes.ts";
import { closeDialog, dialog } from "../state/layout.ts";
import { mailOf } from "../state/mails.ts";
import { tags } from "../state/service.ts";
import { type Field, Form, Tag, type Values } from "../ui/index.ts";
import { Dialog } from "./dialog.tsx";

const FIELDS: readonly Field[] = [
  { name: "tags", label: "New tags", autofocus: true, placeholder: "urgent, billing" },
];

export function TagDialog({ ids }: { ids: readonly string[] }) {
  // Mails that are not loaded do not affect the check marks.
  const mails = ids.flatMap((id) => mailOf(id)?.value ?? []);
  const known = new Set([...tags.value.map(({ tag }) => tag), ...mails.flatMap((mail) => mail.tags)]);
  const carried = (tag: string) => mails.filter(({ tags }) => tags.includes(tag)).length;
  const save = async ({ tags: typed = "" }: Values) => {
    const names = typed.split(",").map((name) => name.trim());
    const added = names.filter((name) => name !== "");
    const isSaved = added.length === 0 || (await retag(ids, added, []));
    if (isSaved && dialog.peek()?.name === "tag") closeDialog();
  };
  return (
    <Dialog title={ids.length === 1 ? "Tag the mail" : `Tag ${ids.length} mails`} onClose={closeDialog}>
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
      <Form fields={FIELDS} action="Done" onSubmit={save} />
    </Dialog>
  );
}
