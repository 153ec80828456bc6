// Events that come together are applied as if they had come one by one.
import "./support/page.ts";

import { beforeEach, expect, test } from "bun:test";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { reloadView } from "../../../src/web/state/load-view.ts";
import { rowOf } from "../../../src/web/state/rows.ts";
import { countNothing, totalCount, unreadCount } from "../../../src/web/state/service.ts";
import { emptyView, ids } from "../../../src/web/state/view.ts";
import { inPage } from "./support/page.ts";

inPage();

const arrival = (id: string) => ({
  type: "message:new" as const,
  data: {
    id,
    sender: "app@example.com",
    recipients: ["user@example.com"],
    subject: "Hello",
    size: 100,
    has_attachments: false,
    is_read: false,
    is_starred: false,
    tags: [],
    created_at: "2026-11-14T10:00:00.000Z",
  },
});

beforeEach(async () => {
  await reloadView();
  emptyView();
  countNothing();
});

test("a mail that was changed in the moment it arrived was shown as if it had not been", () => {
  applyEvents([
    arrival("A1"),
    { type: "message:read", data: { id: "A1", is_read: true } },
    { type: "message:starred", data: { id: "A1", is_starred: true } },
    { type: "message:tags", data: { id: "A1", tags: ["now"] } },
  ]);
  expect(rowOf("A1")?.peek()).toMatchObject({ is_read: true, is_starred: true, tags: ["now"] });
  expect([totalCount.peek(), unreadCount.peek()]).toEqual([1, 0]);
});

test("a mail that was deleted in the moment it arrived is not listed", () => {
  applyEvents([arrival("B1"), arrival("B2"), { type: "message:delete", data: { id: "B1" } }]);
  expect(ids.peek()).toEqual(["B2"]);
});

test("what arrived after all mail was deleted is listed, what came before is not", () => {
  applyEvents([arrival("C1"), { type: "messages:clear" }, arrival("C2")]);
  expect(ids.peek()).toEqual(["C2"]);
});
