// Every tag in use, for the filter chips and for suggestions while typing.
import { signal } from "@preact/signals";
import { getTags } from "../api/messages.ts";
import { renewable } from "./until-answered.ts";

export const knownTags = signal<readonly string[]>([]);

const RELOAD_DELAY_MS = 300;

/** For each question under way, what was heard of meanwhile: it may be newer than the answer. */
const hearing = new Set<Set<string>>();
let timer: ReturnType<typeof setTimeout> | undefined;

export const loadTags = renewable(
  async () => {
    const heard = new Set<string>();
    hearing.add(heard);
    try {
      return { heard, ...(await getTags()) };
    } finally {
      hearing.delete(heard);
    }
  },
  ({ heard, tags }) => {
    knownTags.value = tags.map(({ tag }) => tag);
    show(heard);
  },
);

/** A tag may have lost its last message; only the server knows. */
export function reloadTagsSoon(): void {
  if (knownTags.peek().length === 0 && hearing.size === 0) return;
  clearTimeout(timer);
  timer = setTimeout(() => void loadTags(), RELOAD_DELAY_MS);
}

export function noteTags(tags: readonly string[]): void {
  for (const heard of hearing) for (const tag of tags) heard.add(tag);
  show(tags);
}

function show(tags: Iterable<string>): void {
  const known = new Set(knownTags.peek());
  const size = known.size;
  for (const tag of tags) known.add(tag);
  if (known.size > size) knownTags.value = [...known].sort((a, b) => a.localeCompare(b));
}
