// How many mails have arrived above what is in sight: those newer than any that was known when one scrolled down.
import { computed, signal } from "@preact/signals";
import { newestKnown } from "./rows.ts";
import { ids } from "./view.ts";

/** Undefined while the top of the list is in sight. */
const scrolledSince = signal<string | undefined>(undefined);

/** As it is said, so "100+" where not all of them are fetched; empty where there are none. */
export const newAbove = computed(() => {
  const list = ids.value;
  const since = scrolledSince.value;
  if (since === undefined) return "";
  const end = list.findIndex((id) => id === undefined || id <= since);
  const count = end === -1 ? list.length : end;
  if (count === 0) return "";
  return end !== -1 && list[end] === undefined ? `${count}+` : String(count);
});

export function noteTop(isInSight: boolean): void {
  scrolledSince.value = isInSight ? undefined : (scrolledSince.peek() ?? newestKnown());
}
