// Selecting from one mail to another: all mails between them, also those that were not fetched yet.
import "./support/page.ts";

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { targets } from "../../../src/web/keyboard/key-actions.ts";
import { runInTurn, runOnceListed } from "../../../src/web/keyboard/keys-in-turn.ts";
import type { Shortcut } from "../../../src/web/keyboard/shortcut.ts";
import { SHORTCUTS, stepFrom } from "../../../src/web/keyboard/shortcuts.ts";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { deleteWithUndo } from "../../../src/web/state/delete.ts";
import { refetch } from "../../../src/web/state/live.ts";
import { reloadView, showRange } from "../../../src/web/state/load-view.ts";
import { leaveWhenMovedOn } from "../../../src/web/state/membership.ts";
import { navigate, openedId, route } from "../../../src/web/state/route.ts";
import { rowOf } from "../../../src/web/state/rows.ts";
import {
  clearSelection,
  cursor,
  gathering,
  isSelecting,
  selected,
  selectTo,
  toggleSelected,
} from "../../../src/web/state/selection.ts";
import { loadService, totalCount, unreadCount } from "../../../src/web/state/service.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { failing } from "../../../src/web/state/until-answered.ts";
import { emptyView, ids } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { answerLate, ask, failNext, flood, inPage } from "./support/page.ts";

const MAILS = 1500;

inPage();

let all: string[] = [];
/** Whether the mail is no longer as the next test expects it. */
let isChanged = true;

const stopLeaving = leaveWhenMovedOn();
afterAll(stopLeaving);

beforeAll(runOnceListed);

/** The list as it is after a jump from the first row to one far below. */
beforeEach(async () => {
  if (isChanged) all = await flood(MAILS);
  isChanged = false;
  // For the mouse, keys that wait or have led nowhere are forgotten.
  dispatchEvent(new Event("pointerdown"));
  emptyView();
  await reloadView();
  showRange(1200, 1210);
  await until(() => ids.peek()[1200] !== undefined);
});

test("mails that were not fetched yet were left out of a selection without a word", async () => {
  toggleSelected(all[1] ?? "");
  const done = selectTo(all[1203] ?? "");
  expect(gathering.peek()).toMatchObject({ total: 1203 });
  expect(targets()).toEqual([]);
  await done;
  expect([...selected.peek()]).toEqual(all.slice(1, 1204));
  expect(gathering.peek()).toBeUndefined();
});

test("a selection upwards is the same", async () => {
  toggleSelected(all[1203] ?? "");
  await selectTo(all[1] ?? "");
  expect([...selected.peek()].sort()).toEqual(all.slice(1, 1204).sort());
});

test("a selection that went too far could not be taken back, neither by mouse nor by key", async () => {
  toggleSelected(all[7] ?? "");
  toggleSelected(all[2] ?? "");
  await selectTo(all[5] ?? "");
  await selectTo(all[3] ?? "");
  expect([...selected.peek()].sort()).toEqual([2, 3, 7].map((place) => all[place] ?? "").sort());
  press("Shift+ArrowUp");
  expect([...selected.peek()].sort()).toEqual([2, 7].map((place) => all[place] ?? "").sort());
});

test("the key that selects let go of what was selected first instead of adding the next", () => {
  cursor.value = all[2];
  press("x");
  cursor.value = all[4];
  press("x");
  expect([...selected.peek()]).toEqual([all[2] ?? "", all[4] ?? ""]);
});

test("keys acted on the mail that they were on in another list, where nobody saw it", async () => {
  cursor.value = all[2];
  expect(targets()).toEqual(all.slice(2, 3));
  navigate({ filter: { ...NO_FILTER, starred: true } });
  await reloadView();
  expect(targets()).toEqual([]);
  for (const key of ["x", "Shift+ArrowDown", "j", "Enter"]) press(key);
  expect(isSelecting.peek()).toBe(false);
  expect(openedId.peek()).toBeUndefined();
});

test("a selection by key began with a mail of another list", async () => {
  await change("PATCH", `/${all[5]}`, { is_starred: true });
  cursor.value = all[2];
  navigate({ filter: { ...NO_FILTER, starred: true } });
  await reloadView();
  press("Shift+ArrowDown");
  expect([...selected.peek()]).toEqual(all.slice(5, 6));
});

test("what was ticked while another list was on its way stayed ticked behind it", async () => {
  cursor.value = all[2];
  navigate({ filter: { ...NO_FILTER, unread: true } });
  for (const key of ["Ctrl+a", "x", "Shift+ArrowDown"]) press(key);
  expect(isSelecting.peek()).toBe(false);
  await reloadView();
  press("Ctrl+a");
  expect(isSelecting.peek()).toBe(true);
});

test("the counts know how many of the gathered mails were unread", async () => {
  await loadService();
  toggleSelected(all[0] ?? "");
  await selectTo(all[1202] ?? "");
  deleteWithUndo([...selected.peek()]);
  expect([totalCount.peek(), unreadCount.peek()]).toEqual([297, 297]);
  toasts.peek().at(-1)?.action?.run();
  expect([totalCount.peek(), unreadCount.peek()]).toEqual([1500, 1500]);
});

test("a selection that is given up while it is gathered selects nothing", async () => {
  toggleSelected(all[1] ?? "");
  const done = selectTo(all[1203] ?? "");
  clearSelection();
  await done;
  expect(isSelecting.peek()).toBe(false);
});

test("a key pressed while a selection was gathered did nothing", async () => {
  toggleSelected(all[1] ?? "");
  const done = selectTo(all[1203] ?? "");
  runInTurn(shortcutOf("#"));
  expect(ids.peek().length).toBe(MAILS);
  await done;
  expect(ids.peek().length).toBe(MAILS - 1203);
  press("z");
  expect(ids.peek().length).toBe(MAILS);
});

test("a key that waits for a selection that cannot be gathered does nothing", async () => {
  toggleSelected(all[1] ?? "");
  failNext("limit=200");
  const done = selectTo(all[1203] ?? "");
  runInTurn(shortcutOf("#"));
  await done;
  expect(ids.peek().length).toBe(MAILS);
});

test("Escape left the search, too, where it took back a key that waited for its hits", async () => {
  navigate({ filter: { ...NO_FILTER, q: "subject:mail" } });
  for (const key of ["Enter", "Escape"]) runInTurn(shortcutOf(key));
  await reloadView();
  expect(route.peek()).toMatchObject({ id: undefined, filter: { q: "subject:mail" } });
});

test("right behind a search # opened mail that it does not find, which a second # would delete", async () => {
  await change("PATCH", `/${all[9]}`, { is_starred: true });
  navigate({ id: all[6] });
  navigate({ filter: { ...NO_FILTER, starred: true } });
  runInTurn(shortcutOf("#"));
  await reloadView();
  await until(() => openedId.peek() !== all[6]);
  expect(ids.peek()).toContain(openedId.peek());
  press("z");
});

test("j led nowhere where the next page was on its way, and what came right behind it took the mail before", async () => {
  cursor.value = all[99];
  const page = answerLate("before=");
  showRange(90, 100);
  await page.asked;
  for (const key of ["j", "x"]) runInTurn(shortcutOf(key));
  expect(isSelecting.peek()).toBe(false);
  page.answer();
  await until(() => isSelecting.peek());
  expect([...selected.peek()]).toEqual(all.slice(100, 101));
});

test("keys that wait for a page that cannot be had are forgotten", async () => {
  cursor.value = all[99];
  failNext("before=", 1, 500);
  showRange(90, 100);
  for (const key of ["j", "#"]) runInTurn(shortcutOf(key));
  await until(() => ids.peek()[100] !== undefined);
  expect(ids.peek().slice(99, 101)).toEqual(all.slice(99, 101));
  expect(cursor.peek()).toBe(all[99]);
});

test("where the next page could not be had j was lost without a word, and # right behind it took the mail before", async () => {
  cursor.value = all[99];
  failNext("before=", 1, 500);
  showRange(90, 100);
  await until(() => failing.peek() > 0);
  for (const key of ["j", "#"]) runInTurn(shortcutOf(key));
  expect(toasts.peek().at(-1)?.text).toBe("More messages cannot be loaded at the moment.");
  expect(ids.peek()).toHaveLength(MAILS);
  // What is back in reach is meant again.
  isChanged = true;
  for (const key of ["k", "s"]) runInTurn(shortcutOf(key));
  expect(rowOf(all[98] ?? "")?.peek().is_starred).toBe(true);
  await until(() => failing.peek() === 0);
});

test("the button that leads to the next message did nothing where that was on its way", async () => {
  navigate({ id: all[99] });
  cursor.value = all[3];
  const page = answerLate("before=");
  showRange(90, 100);
  await page.asked;
  for (const _ of [1, 2]) stepFrom(all[99] ?? "", 1);
  page.answer();
  await until(() => openedId.peek() === all[101]);
});

for (const key of ["j", "k", "Shift+ArrowDown"]) {
  test(`${key} did nothing where the keyboard was on mail that is not fetched yet`, async () => {
    navigate({ filter: { ...NO_FILTER, starred: true } });
    await reloadView();
    navigate({ filter: NO_FILTER });
    await reloadView();
    cursor.value = all[700];
    press(key);
    expect(cursor.peek()).toBe(all[0]);
  });
}

test("the neighbours of an opened message were out of reach after a search was cleared", async () => {
  navigate({ id: all[700], filter: { ...NO_FILTER, starred: true } });
  await reloadView();
  navigate({ filter: NO_FILTER });
  await reloadView();
  cursor.value = all[700];
  press("j");
  expect(openedId.peek()).toBe(all[701]);
});

test("mail that was deleted while the rest of a selection was gathered was listed and selected", async () => {
  toggleSelected(all[1] ?? "");
  const first = answerLate("limit=200");
  const done = selectTo(all[1203] ?? "");
  await first.asked;
  const second = answerLate("limit=200");
  first.answer();
  await second.asked;
  const gone = all[150] ?? "";
  await change("DELETE", `/${gone}`);
  applyEvents([{ type: "message:delete", data: { id: gone } }]);
  second.answer();
  await done;
  expect([...selected.peek()]).toEqual(all.slice(1, 1204).filter((id) => id !== gone));
});

test("mail that was gone when the server was heard again stayed ticked", async () => {
  for (const place of [1, 1205]) toggleSelected(all[place] ?? "");
  await change("DELETE", `/${all[1205]}`);
  refetch();
  await until(() => !selected.peek().has(all[1205] ?? ""));
  expect([...selected.peek()]).toEqual(all.slice(1, 2));
});

test("a selection that cannot be gathered says so and stays as it was", async () => {
  toggleSelected(all[1] ?? "");
  await change("DELETE", "");
  await selectTo(all[1203] ?? "");
  expect([...selected.peek()]).toEqual(all.slice(1, 2));
  expect(toasts.peek().at(-1)?.text).toStartWith("Not selected: ");
});

function change(method: string, path: string, body?: unknown): Promise<void> {
  isChanged = true;
  return ask(method, path, body);
}

function press(key: string): void {
  shortcutOf(key).run();
}

function shortcutOf(key: string): Shortcut {
  const found = SHORTCUTS.find(({ keys }) => keys.includes(key));
  if (!found) throw new Error(`There is no key ${key}`);
  return found;
}
