// How the page is laid out right now: one pane or two, and what is open above them.
import { signal } from "@preact/signals";

export type DialogName =
  | "settings"
  | "shortcuts"
  | "delete-all"
  | "delete-matching"
  | "release"
  | "tag"
  | "compare"
  | "faults"
  | "rejections"
  | "rail";

export interface OpenDialog {
  readonly name: DialogName;
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

function follow(query: string) {
  const media = matchMedia(query);
  const matches = signal(media.matches);
  media.addEventListener("change", () => {
    matches.value = media.matches;
  });
  return matches;
}

/** There is room for one pane only. */
export const isNarrow = follow("(max-width: 799px)");
/** There is room for the rail beside the panes. */
export const isWide = follow("(min-width: 1200px)");
