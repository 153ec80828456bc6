// A message that is gone is not there any more, however the page learns it.
import "./support/page.ts";

import { beforeEach, expect, test } from "bun:test";
import type { InboxEvent } from "../../../src/model/index.ts";
import { SHORTCUTS } from "../../../src/web/keyboard/shortcuts.ts";
import { markRead } from "../../../src/web/state/actions.ts";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { openDialog } from "../../../src/web/state/layout.ts";
import { refetch } from "../../../src/web/state/live.ts";
import { reloadView } from "../../../src/web/state/load-view.ts";
import { fullMessage, vanished } from "../../../src/web/state/opened.ts";
import { navigate } from "../../../src/web/state/route.ts";
import { cursor } from "../../../src/web/state/selection.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { ids } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { ask, inPage, receive } from "./support/page.ts";

inPage();

beforeEach(() => {
  fullMessage.forgetOthers(undefined);
  vanished.value = new Set();
});

test("a message deleted while the server could not be heard stayed open as if it existed", async () => {
  const [opened = "", earlier = "", kept = ""] = await receive(3);
  for (const id of [opened, earlier, kept]) await loaded(id);
  navigate({ id: opened });
  await ask("DELETE", `/${opened}`);
  await ask("DELETE", `/${earlier}`);
  refetch();
  await until(() => vanished.peek().has(opened));
  expect((await loaded(earlier)).state).toBe("failed");
  expect((await loaded(kept)).state).toBe("ready");
  expect([...vanished.peek()]).toEqual([opened, earlier]);
});

test("opened mail that was read by that stayed among the unread though it was gone when the server was heard again", async () => {
  const [, opened = ""] = await receive(2);
  navigate({ filter: { ...NO_FILTER, unread: true } });
  await reloadView();
  navigate({ id: opened });
  await markRead([opened], true);
  await ask("DELETE", "");
  refetch();
  await until(() => ids.peek().length === 0);
  expect(vanished.peek().has(opened)).toBe(true);
  navigate({ filter: NO_FILTER });
});

for (const [how, event] of [
  ["deleted", (id: string): InboxEvent => ({ type: "message:delete", data: { id } })],
  ["deleted with all others", (): InboxEvent => ({ type: "messages:clear" })],
] as const) {
  test(`a message that was opened before and ${how} elsewhere was there again on the way back`, async () => {
    const [earlier = "", opened = ""] = await receive(2);
    for (const id of [earlier, opened]) await loaded(id);
    navigate({ id: opened });
    await ask("DELETE", `/${earlier}`);
    applyEvents([event(earlier)]);
    navigate({ id: earlier });
    expect((await loaded(earlier)).state).toBe("failed");
  });
}

for (const key of ["#", "t", "r", "s", "u", "x"]) {
  test(`${key} does nothing to a message that does not exist`, async () => {
    await receive(1);
    const id = "01M7GQ4ZV3A15W9HKBPYK6G5ZZ";
    navigate({ id });
    cursor.value = id;
    await loaded(id);
    const before = toasts.peek();
    SHORTCUTS.find(({ keys }) => keys.includes(key))?.run();
    expect(openDialog.peek()).toBeUndefined();
    expect(toasts.peek()).toEqual(before);
  });
}

async function loaded(id: string) {
  navigate({ id });
  const entry = fullMessage.of(id);
  await until(() => entry.peek().state !== "loading");
  return entry.peek();
}
