// Every tag in use, for the filter chips and for suggestions while typing.
import { signal } from "@preact/signals";
import { getTags } from "../api/messages.ts";

export const knownTags = signal<readonly string[]>([]);

export async function loadTags(): Promise<void> {
  const answer = await getTags().catch(() => undefined);
  if (answer) knownTags.value = answer.tags.map(({ tag }) => tag);
}

export function noteTags(tags: readonly string[]): void {
  const known = new Set(knownTags.peek());
  const size = known.size;
  for (const tag of tags) known.add(tag);
  if (known.size > size) knownTags.value = [...known].sort((a, b) => a.localeCompare(b));
}
