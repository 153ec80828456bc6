// Thousands of mails: the page has few rows, fetches while scrolling, and keeps its place.
import { beforeAll, expect, test } from "bun:test";
import type { MessageList } from "../../src/model/index.ts";
import { inBrowser, keepUndo, rowOf } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";

const MAILS = 3000;
const FLOOD = 1000;
const ROW_PX = 64;
/** The `FLOOD` mails are sent with this many per connection. */
const WAVE = 50;

inBrowser("a long list", (bench) => {
  beforeAll(() => floodBySmtp(bench().mailkeep.smtp, MAILS));

  test("scrolls to the end with fewer than 200 rows in the page", async () => {
    const page = await bench().open();
    await rowOf(page, `Mail ${MAILS}`).first().waitFor();
    await page.getByRole("heading", { name: "Recipients among the newest 100" }).waitFor();
    await page.evaluate(() => {
      const list = document.getElementById("mail-list");
      let most = 0;
      new MutationObserver(() => {
        most = Math.max(most, document.querySelectorAll(".mail-row").length);
        document.body.dataset.most = String(most);
      }).observe(document.body, { childList: true, subtree: true });
      list?.scrollTo(0, list.scrollHeight / 2);
    });
    await rowOf(page, `Mail ${MAILS / 2}`)
      .first()
      .waitFor();
    await page.evaluate(() => {
      const list = document.getElementById("mail-list");
      list?.scrollTo(0, list.scrollHeight);
    });
    await page.locator(".mail-row .subject", { hasText: /^Mail 1$/ }).waitFor();
    expect(Number(await page.locator("body").getAttribute("data-most"))).toBeLessThan(200);
  });

  test("asks for each page once during scrolling", async () => {
    const page = await bench().open();
    await rowOf(page, `Mail ${MAILS}`).first().waitFor();
    const offsets: string[] = [];
    page.on("request", (request) => {
      const offset = new URL(request.url()).searchParams.get("offset");
      if (offset) offsets.push(offset);
    });
    for (let row = 50; row <= 300; row += 50) {
      await page.locator("#mail-list").evaluate((list, top) => list.scrollTo(0, top), row * ROW_PX);
      await rowOf(page, `Mail ${MAILS - row}`).waitFor();
    }
    expect(offsets.length).toBeGreaterThan(1);
    expect(new Set(offsets).size).toBe(offsets.length);
  });

  test("keeps its place when mail arrives, and says how many came", async () => {
    const { open, mailkeep } = bench();
    const page = await open();
    await rowOf(page, `Mail ${MAILS}`).first().waitFor();
    await page.locator("#mail-list").evaluate((list) => list.scrollTo(0, 3210));
    const watched = rowOf(page, `Mail ${MAILS - 52}`);
    await watched.waitFor();
    const before = await watched.boundingBox();
    for (const subject of ["Fresh 1", "Fresh 2", "Fresh 3"]) await mailkeep.send({ subject });
    const pill = page.getByRole("button", { name: "3 new" });
    await pill.waitFor();
    expect(await watched.boundingBox()).toEqual(before);
    await pill.click();
    await rowOf(page, "Fresh 3").waitFor();
    await pill.waitFor({ state: "detached" });
  });

  test("on a narrow page keeps its place while a message is open and others arrive", async () => {
    const { open, mailkeep } = bench();
    const page = await open("/", { viewport: { width: 390, height: 844 } });
    await page.locator("#mail-list").evaluate((list, top) => list.scrollTo(0, top), 50 * ROW_PX);
    const watched = rowOf(page, `Mail ${MAILS - 48}`);
    await watched.waitFor();
    const before = await watched.boundingBox();
    const unread = await page.evaluate(() => Number(/\d+/.exec(document.title)?.[0]));
    await watched.locator(".subject").click();
    await page.getByRole("heading", { name: `Mail ${MAILS - 48}` }).waitFor();
    for (const subject of ["Fresh 4", "Fresh 5"]) await mailkeep.send({ subject });
    // One mail was read and two came, so one more is unread.
    await page.waitForFunction((count) => document.title.startsWith(`(${count})`), unread + 1);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await watched.boundingBox()).toEqual(before);
  });

  test("shows a message that is opened by its address among its neighbours", async () => {
    const { open, mailkeep } = bench();
    const response = await fetch(`${mailkeep.http}/api/v1/messages?q=%22Mail+1321%22&limit=1`);
    const [found] = ((await response.json()) as MessageList).messages;
    const page = await open(`/messages/${found?.id}`);
    await rowOf(page, "Mail 1321").and(page.locator("[aria-selected=true]")).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Mail 1320" }).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Mail 1322" }).waitFor();
  });

  test("shows the next mails if a whole page was deleted and can be restored", async () => {
    const page = await bench().open("/?q=number");
    await keepUndo(page);
    await rowOf(page, `Mail ${MAILS}`).first().waitFor();
    let requests = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/api/v1/messages") requests++;
    });
    await page.locator("#mail-list").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.getByText("100 selected").waitFor();
    await page.keyboard.press("#");
    await rowOf(page, `Mail ${MAILS - 100}`).waitFor();
    expect(requests).toBeLessThan(10);
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, `Mail ${MAILS}`).first().waitFor();
  });

  test("redraws a few times a second while mail floods in, and counts every one", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Before the flood" });
    const page = await open();
    await rowOf(page, "Before the flood").waitFor();
    const unread = await page.evaluate(() => Number(/\d+/.exec(document.title)?.[0]));
    const redraws = await page.evaluateHandle(() => {
      const times: number[] = [];
      new MutationObserver(() => times.push(performance.now())).observe(document.head, {
        childList: true,
        subtree: true,
        characterData: true,
      });
      return times;
    });
    for (let sent = 0; sent < FLOOD; sent += WAVE) await floodBySmtp(mailkeep.smtp, WAVE);
    await page.waitForFunction((count) => document.title.includes(`(${count})`), unread + FLOOD);
    const times = await redraws.jsonValue();
    const ms = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(times.length).toBeGreaterThan(0);
    expect(times.length).toBeLessThan(5 + ms / 250);
    await rowOf(page, `Mail ${WAVE}`).first().waitFor();
  });
});
