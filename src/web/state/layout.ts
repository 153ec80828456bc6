// The current layout of the page: one pane or two, and the layers above them.
import { signal } from "@preact/signals";

export type DialogName =
  | "settings"
  | "shortcuts"
  | "question"
  | "release"
  | "tag"
  | "compare"
  | "faults"
  | "rejections"
  | "inboxes"
  | "tokens"
  | "rail";

export interface Question {
  readonly title: string;
  readonly text: () => string;
  readonly action: string;
  readonly run: () => void;
}

export interface OpenDialog {
  readonly name: DialogName;
  readonly ids: readonly string[];
  readonly question?: Question;
}

export const dialog = signal<OpenDialog | undefined>(undefined);
/** Whether a dialog is open. Then the page's keys do nothing, and the dialog shows the notices. */
export const isCovered = signal(false);

export function openDialog(name: DialogName, ids: readonly string[] = []): void {
  dialog.value = { name, ids };
}

export function ask(question: Question): void {
  dialog.value = { name: "question", ids: [], question };
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

export const isNarrow = follow("(max-width: 799px)");
export const isWide = follow("(min-width: 1200px)");
