// How the page is laid out right now: one pane or two, and what is open above them.
import { signal } from "@preact/signals";

export type DialogName = "settings" | "shortcuts" | "delete-all" | "release" | "tag";

export interface OpenDialog {
  readonly name: DialogName;
  /** The mails that it is about. */
  readonly ids: readonly string[];
}

export const dialog = signal<OpenDialog | undefined>(undefined);
/** The page lies behind a dialog or a viewer: it takes no keys, and its notices are shown there. */
export const isCovered = signal(false);

export function openDialog(name: DialogName, ids: readonly string[] = []): void {
  dialog.value = { name, ids };
}

export function closeDialog(): void {
  dialog.value = undefined;
}

const narrow = matchMedia("(max-width: 799px)");
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});
