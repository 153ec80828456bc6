// axe-core finds no violation in these views. Other tests check the views that they show. Some views are checked in
// light only.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { SAMPLE_MAILS } from "../../scripts/sample/mails.ts";
import { sendSample } from "../../scripts/sample/send.ts";
import { COLOURS, violationsIn } from "./support/axe.ts";
import { inBrowser } from "./support/browser.ts";

/** The page is not loaded again if two views in a row have the same address. */
const VIEWS: Record<
  string,
  { path?: string; mail?: string; prepare?: (page: Page) => Promise<void>; isLightOnly?: true }
> = {
  "its header fields": { isLightOnly: true, mail: "Thanks", path: "?tab=headers" },
  "its source": { mail: "Thanks", path: "?tab=source" },
  "a text message": { isLightOnly: true, mail: "Invoice" },
  "the release dialog": { mail: "Invoice", prepare: (page) => page.keyboard.press("r") },
  "an attached text": {
    mail: "Invoice",
    path: "?tab=attachments",
    prepare: (page) => page.getByRole("button", { name: "View terms.txt" }).click(),
  },
  "a message that is not there": { isLightOnly: true, path: "/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV" },
  "a search without hits": { isLightOnly: true, path: "/?q=zebra" },
  "the settings": { path: "/", prepare: (page) => page.keyboard.press(",") },
  "the keys": { isLightOnly: true, path: "/", prepare: (page) => page.keyboard.press("?") },
  "the menu": { path: "/", prepare: (page) => page.getByRole("button", { name: "More actions" }).click() },
  "the question before deleting all": {
    path: "/",
    prepare: async (page) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Delete all mail" }).click();
    },
  },
  "a selection": { path: "/", prepare: (page) => page.getByRole("checkbox").first().click() },
  "checks that scroll and hold no link": {
    isLightOnly: true,
    mail: "Linkless",
    path: "?tab=checks",
    prepare: (page) => page.setViewportSize({ width: 1280, height: 600 }),
  },
};

inBrowser("axe finds no violation", (bench) => {
  let ids: Record<string, string>;
  let page: Page;
  beforeAll(async () => {
    const { mailkeep, browser } = bench();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    for (const mail of SAMPLE_MAILS.slice(-6)) await sendSample(mailkeep, mail);
    await mailkeep.send({ subject: "Linkless" });
    ids = {
      Thanks: await mailkeep.idOf("Thank you"),
      Invoice: await mailkeep.idOf("Invoice"),
      Linkless: await mailkeep.idOf("Linkless"),
    };
  });

  afterAll(() => page.close());

  for (const [name, { path = "", mail, prepare, isLightOnly }] of Object.entries(VIEWS)) {
    test(`in ${name}${isLightOnly ? "" : ", light and dark"}`, async () => {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const address = bench().mailkeep.http + (mail ? `/messages/${ids[mail]}` : "") + path;
      await page.keyboard.press("Escape");
      if (page.url() !== address) await page.goto(address);
      const shown = mail ? ".tab-panel > *" : ".mail-row .subject, .list-pane .notice h2";
      await page.locator(shown).first().waitFor();
      await prepare?.(page);
      expect(await violationsIn(page)).toEqual([]);
      if (isLightOnly) return;
      // Dark mode changes only colours, so only the rules about colours are checked again.
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violationsIn(page, COLOURS)).toEqual([]);
    });
  }

  test("in the tags of a selected message with forced colours", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.ask("PATCH", `/messages/${ids.Invoice}`, { tags: ["one", "two", "three"] });
    const page = await open("/?q=invoice", {
      colorScheme: "dark",
      forcedColors: "active",
      reducedMotion: "reduce",
    });
    await page.getByRole("checkbox").first().click();
    expect(await violationsIn(page, COLOURS)).toEqual([]);
  });
});
