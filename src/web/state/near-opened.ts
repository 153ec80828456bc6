// Where there is room for one pane, an opened message stands in the place of the list, and nobody scrolls that: the
// mails before and after it are fetched as if they were in sight.
import { effect, untracked } from "@preact/signals";
import { isNarrow } from "./layout.ts";
import { showRange } from "./load-view.ts";
import { openedId } from "./route.ts";
import { ids } from "./view.ts";

export function fetchNearOpened(): () => void {
  return effect(() => {
    const id = openedId.value;
    const place = isNarrow.value && id !== undefined ? ids.value.indexOf(id) : -1;
    if (place !== -1) untracked(() => showRange(place, place + 1));
  });
}
