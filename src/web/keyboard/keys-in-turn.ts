// Keys pressed while the list is about to be another, the next part of it is on its way, or a selection is not complete
// yet: they wait for what was asked for, and what is pressed behind them waits with them. At once, they would act on mail
// that is not meant.
import { effect } from "@preact/signals";
import { openDialog } from "../state/layout.ts";
import { isFetching } from "../state/load-view.ts";
import { filterKey, openedId } from "../state/route.ts";
import { cursor, gathering, selected } from "../state/selection.ts";
import { complain } from "../state/toasts.ts";
import { failing } from "../state/until-answered.ts";
import { ids, isListed, isUnfetched, viewState } from "../state/view.ts";
import type { Shortcut } from "./shortcut.ts";

/** What is pressed within this time of a key that led nowhere was pressed in haste. */
const HASTE_MS = 1000;
const NEVER = Number.NEGATIVE_INFINITY;

let waiting: Shortcut[] = [];
let typed: string[] = [];
let missedAt = NEVER;
let waitedAt = NEVER;

const forget = () => {
  waiting = [];
  typed = [];
};

const isForField = () => waiting.some(({ opensField }) => opensField);

/** Of a key pressed behind one that opens a field, and waits: if it does open, the key was typed into it. */
export function noteTyped(key: string): void {
  if (isForField()) typed.push(key);
}

/** For the field that was opened; Enter parts tags as a comma does. */
export function takeTyped(): string {
  const keys = typed;
  typed = [];
  return keys.reduce((text, key) => {
    if (key === "Backspace") return text.slice(0, -1);
    if (key === "Enter") return `${text}, `;
    return key.length === 1 ? text + key : text;
  }, "");
}

/** A key that is held asks again by itself. */
export function runInTurn(shortcut: Shortcut, isHeld = false): void {
  if (isHeld && waiting.length > 0) return;
  const { turn } = shortcut;
  const isTakenBack = turn === "back" && waiting.length > 0 && !isRightBehindChange();
  if (isTakenBack || (turn === "instead" && !isForField())) forget();
  if (isTakenBack || isInVain(shortcut)) return;
  if (isDue(shortcut) && waiting.length === 0) {
    shortcut.run();
    return;
  }
  waiting.push(shortcut);
  waitedAt = performance.now();
}

/** Who deletes a mail and leaves in one go means both. */
const isRightBehindChange = () =>
  waiting.some(({ turn }) => turn === "chosen") &&
  !gathering.peek() &&
  performance.now() - waitedAt < HASTE_MS;

/** Where the mail beside cannot be had, neither a key that leads to it nor what comes right behind that does anything. */
function isInVain(shortcut: Shortcut): boolean {
  const { turn, towards } = shortcut;
  if (turn === "chosen") return isRightBehindMissed();
  if (turn !== "listed" || towards === undefined) return false;
  const isMissed = isAtGap(shortcut) && failing.peek() > 0;
  if (isMissed) noteMissed();
  else missedAt = NEVER;
  return isMissed;
}

const isRightBehindMissed = () => performance.now() - missedAt < HASTE_MS;

function noteMissed(): void {
  if (!isRightBehindMissed()) complain("More messages cannot be loaded at the moment.");
  missedAt = performance.now();
}

function isDue(shortcut: Shortcut): boolean {
  const { turn, towards } = shortcut;
  if (isAtGap(shortcut) && isFetching.peek()) return false;
  const hasList = isListed.peek() || viewState.peek() === "failed";
  const hasMail = hasList || (openedId.peek() !== undefined && towards === undefined);
  if (turn === "chosen") return !gathering.peek() && hasMail;
  return turn !== "listed" || hasList;
}

const isAtGap = ({ towards }: Shortcut): boolean =>
  towards !== undefined && isUnfetched(cursor.peek() ?? openedId.peek(), towards);

export function runOnceListed(): void {
  let view = filterKey.peek();
  let before: unknown;
  effect(() => {
    const isLeft = view !== filterKey.value;
    const hasFailed = viewState.value === "failed";
    view = filterKey.value;
    // A selection that could not be had is as it was before.
    const isMissed = gathering.value === undefined && before === selected.peek();
    before = gathering.value && (before ?? selected.peek());
    if (isLeft || hasFailed || isMissed) forget();
    ids.value;
    isFetching.value;
    // Not within: what follows a change of the address would come after all keys, and close the dialog of the last.
    if (isListed.value) queueMicrotask(runWaiting);
  });
  window.addEventListener("pointerdown", forgetForMouse, { capture: true });
}

/** The mouse has been quicker, unless it asks for one mail after the other itself. */
function forgetForMouse({ target }: PointerEvent): void {
  missedAt = NEVER;
  if (!(target instanceof Element && target.closest(".toolbar-steps"))) forget();
}

function runWaiting(): void {
  if (!isListed.peek() || gathering.peek()) return;
  for (let [next] = waiting; next && isDue(next); [next] = waiting) {
    // Where the mail beside could not be had, what follows is meant for none that is there.
    if (isAtGap(next)) {
      noteMissed();
      forget();
      return;
    }
    waiting = waiting.slice(1);
    next.run();
    if (openDialog.peek()) leaveToDialog();
    else if (next.opensField) typed = [];
  }
}

/** What is typed behind a key that opens a dialog is meant for that, and Escape closes it. */
function leaveToDialog(): void {
  const closing = waiting.findIndex(({ turn }) => turn === "back");
  waiting = closing === -1 ? [] : waiting.slice(closing + 1);
  if (closing === -1) return;
  openDialog.value = undefined;
  typed = [];
}
