// Keys that go through the list, pressed while it is about to be another: they wait for the one that was asked for, and
// what is pressed behind them waits with them. At once, they would act on mail that is not meant.
import { effect, untracked } from "@preact/signals";
import { filterKey } from "../state/route.ts";
import { isListed, viewState } from "../state/view.ts";
import type { Shortcut } from "./shortcuts.ts";

let waiting: Shortcut[] = [];

const forget = () => {
  waiting = [];
};

export function runInTurn(shortcut: Shortcut): void {
  if (shortcut.turn === "instead") forget();
  const isDue = shortcut.turn !== "listed" || isListed.peek() || viewState.peek() === "failed";
  if (isDue && waiting.length === 0) shortcut.run();
  else waiting.push(shortcut);
}

export function runOnceListed(): void {
  let view = filterKey.peek();
  effect(() => {
    if (view !== filterKey.value || viewState.value === "failed") forget();
    view = filterKey.value;
    if (isListed.value) untracked(runWaiting);
  });
  // The mouse has been quicker.
  window.addEventListener("pointerdown", forget, { capture: true });
}

function runWaiting(): void {
  const due = waiting;
  forget();
  for (const { run } of due) run();
}
