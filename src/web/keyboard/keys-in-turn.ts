// Keys pressed while the list is about to be another, the next part of it is on its way, or a selection is not complete
// yet: they wait for what was asked for, and what is pressed behind them waits with them. At once, they would act on mail
// that is not meant.
import { effect } from "@preact/signals";
import { typedTags } from "../format/typed-tags.ts";
import { retag } from "../state/actions.ts";
import { openDialog } from "../state/layout.ts";
import { isFetching } from "../state/load-view.ts";
import { filterKey, openedId } from "../state/route.ts";
import { cursor, gathering, selected } from "../state/selection.ts";
import { complain } from "../state/toasts.ts";
import { failing } from "../state/until-answered.ts";
import { ids, isListed, isUnfetched, viewState } from "../state/view.ts";
import { targets } from "./key-actions.ts";
import type { Shortcut } from "./shortcut.ts";

/** What is pressed within this time of a key that led nowhere was pressed in haste. */
const HASTE_MS = 1000;
const NEVER = Number.NEGATIVE_INFINITY;

interface Waiting {
  readonly shortcut: Shortcut;
  /** Behind a key that opens a field: if it does open, that was typed into it. */
  readonly typed: string[];
}

let waiting: Waiting[] = [];
/** For the field that was opened. */
let typed: readonly string[] = [];
let missedAt = NEVER;
let waitedAt = NEVER;

const forget = () => {
  waiting = [];
};

const isForField = () => waiting.some(({ shortcut }) => shortcut.opensField);

export function noteTyped(key: string): void {
  for (const { shortcut, typed } of waiting) if (shortcut.opensField) typed.push(key);
}

/** What Enter has added already, and what was typed behind that. */
export function takeTyped(): { readonly entered: string; readonly rest: string } {
  const end = typed.lastIndexOf("Enter") + 1;
  const taken = { entered: asText(typed.slice(0, end)), rest: asText(typed.slice(end)) };
  typed = [];
  return taken;
}

/** Enter parts tags as a comma does. */
function asText(keys: readonly string[]): string {
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
  waiting.push({ shortcut, typed: [] });
  waitedAt = performance.now();
}

/** Who deletes a mail and leaves in one go means both. */
const isRightBehindChange = () =>
  waiting.some(({ shortcut }) => shortcut.turn === "chosen") &&
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
  for (let [next] = waiting; next && isDue(next.shortcut); [next] = waiting) {
    // Where the mail beside could not be had, what follows is meant for none that is there.
    if (isAtGap(next.shortcut)) {
      noteMissed();
      forget();
      return;
    }
    waiting = waiting.slice(1);
    next.shortcut.run();
    if (openDialog.peek()) leaveToDialog(next);
  }
}

/** What is typed behind a key that opens a dialog is meant for that, and Escape closes it. */
function leaveToDialog(opened: Waiting): void {
  const closing = waiting.findIndex(({ shortcut: { turn } }) => turn === "back");
  waiting = closing === -1 ? [] : waiting.slice(closing + 1);
  typed = opened.typed;
  if (closing === -1) return;
  openDialog.value = undefined;
  typed = typed.slice(0, Math.max(0, typed.indexOf("Escape")));
  const tags = typedTags(takeTyped().entered);
  if (tags.length > 0) void retag(targets(), tags, []);
}
