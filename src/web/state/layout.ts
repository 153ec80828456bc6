// How the page is laid out right now: one pane or two, and which dialog is open.
import { signal } from "@preact/signals";

export type DialogName = "settings" | "shortcuts" | "delete-all" | "release" | "tag";

export const openDialog = signal<DialogName | undefined>(undefined);

const narrow = matchMedia("(max-width: 799px)");
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});
