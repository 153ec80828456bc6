// The scroll position in a filtered list, and the count of new mail above it, while mails join and leave.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { MessageList } from "../../src/model/index.ts";
import { inBrowser, rowOf } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";

const ROW_PX = 64;

inBrowser("the unread list", (bench) => {
  beforeAll(() => floodBySmtp(bench().mailkeep.smtp, 80));

  const unread = async () => {
    const response = await fetch(`${bench().mailkeep.http}/api/v1/messages?unread=true&limit=200`);
    return ((await response.json()) as MessageList).messages.map(({ id }) => id);
  };
  const mark = (ids: readonly string[], is_read: boolean) =>
    bench().mailkeep.ask("PATCH", "/messages", { ids, is_read });
  const scrollTo = (page: Page, row: number) =>
    page.locator("#mail-list").evaluate((list, top) => list.scrollTo(0, top), row * ROW_PX);
  const hits = (page: Page, count: number) => page.getByText(`${count} hits`, { exact: true }).waitFor();

  test("does not count a mail as new that was read elsewhere or is unread again", async () => {
    const page = await bench().open("/?unread=true");
    const pill = page.locator(".new-pill");
    await hits(page, 80);
    await scrollTo(page, 20);
    await rowOf(page, "Mail 58").waitFor();
    for (const subject of ["New 1", "New 2", "New 3"]) await bench().mailkeep.send({ subject });
    await page.getByRole("button", { name: "3 new" }).waitFor();
    const fresh = (await unread()).slice(0, 3);
    await mark(fresh, true);
    await hits(page, 80);
    expect(await pill.count()).toBe(0);
    await scrollTo(page, 0);
    await rowOf(page, "Mail 80").waitFor();
    await scrollTo(page, 20);
    await rowOf(page, "Mail 58").waitFor();
    await mark(fresh, false);
    await hits(page, 83);
    expect(await pill.count()).toBe(0);
    await mark(fresh, true);
  });

  test("keeps its place when the first visible mail leaves it together with those above", async () => {
    const page = await bench().open("/?unread=true");
    await hits(page, 80);
    await scrollTo(page, 20);
    const next = rowOf(page, "Mail 59");
    await next.waitFor();
    const before = await next.boundingBox();
    await mark((await unread()).slice(0, 21), true);
    await hits(page, 59);
    expect(await next.boundingBox()).toEqual({ ...before, y: (before?.y ?? 0) - ROW_PX } as typeof before);
  });
});
