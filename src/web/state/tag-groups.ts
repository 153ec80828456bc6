// Messages that end up with the same tags, so that one request serves them all.
import type { MessageSummary } from "../../model/index.ts";

/** The tags after a change, from those before it. */
export type Retagged = (tags: readonly string[]) => string[];

export interface TagGroup {
  readonly ids: string[];
  readonly tags: string[];
}

export function groupByTags(messages: readonly MessageSummary[], retagged: Retagged): TagGroup[] {
  const groups = new Map<string, TagGroup>();
  for (const message of messages) {
    const tags = retagged(message.tags);
    const key = JSON.stringify(tags);
    const group = groups.get(key) ?? { ids: [], tags };
    group.ids.push(message.id);
    groups.set(key, group);
  }
  return [...groups.values()];
}
