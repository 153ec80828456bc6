// Every tag in use, for the filter chips and for suggestions while typing.
import { signal } from "@preact/signals";
import { getTags } from "../api/messages.ts";
import { renewable } from "./until-answered.ts";

export const knownTags = signal<readonly string[]>([]);

const RELOAD_DELAY_MS = 300;

let timer: ReturnType<typeof setTimeout> | undefined;

export const loadTags = renewable(
  async () => {
    const before = new Set(knownTags.peek());
    return { before, ...(await getTags()) };
  },
  ({ before, tags }) => {
    // What was heard of meanwhile may be newer than the answer.
    const heard = knownTags.peek().filter((tag) => !before.has(tag));
    knownTags.value = tags.map(({ tag }) => tag);
    noteTags(heard);
  },
);

/** A tag may have lost its last message; only the server knows. */
export function reloadTagsSoon(): void {
  if (knownTags.peek().length === 0) return;
  clearTimeout(timer);
  timer = setTimeout(() => void loadTags(), RELOAD_DELAY_MS);
}

export function noteTags(tags: readonly string[]): void {
  const known = new Set(knownTags.peek());
  const size = known.size;
  for (const tag of tags) known.add(tag);
  if (known.size > size) knownTags.value = [...known].sort((a, b) => a.localeCompare(b));
}
