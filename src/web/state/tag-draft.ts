// Tags typed into a field: taken out of it to be saved, and put back if they were not.
import type { Signal } from "@preact/signals";
import { typedTags } from "../format/typed-tags.ts";
import { retag } from "./actions.ts";

export async function saveTyped(draft: Signal<string>, ids: readonly string[]): Promise<void> {
  const typed = draft.peek();
  const tags = typedTags(typed);
  draft.value = "";
  if (tags.length === 0 || (await retag(ids, tags, []))) return;
  const since = draft.peek();
  draft.value = since === "" || typed.endsWith(",") ? typed + since : `${typed}, ${since}`;
}
