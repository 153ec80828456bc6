// How the page is laid out right now: one pane or two, and what is open above them.
import { signal } from "@preact/signals";

export type DialogName = "settings" | "shortcuts" | "delete-all" | "release" | "tag";

export const openDialog = signal<DialogName | undefined>(undefined);
/** The page lies behind a dialog, one of these or a viewer: it takes no keys, and what it says is neither seen nor heard. */
export const isCovered = signal(false);

const narrow = matchMedia("(max-width: 799px)");
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});
