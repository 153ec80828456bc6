// Keys and clicks without a pause, or while the page waits for an answer: none is lost or acts on another mail.
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser, rowOf } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";

const HTML = "<style>@media (prefers-color-scheme: dark) { p { color: white } }</style><p>Hello.</p>";

inBrowser("in haste", (bench) => {
  let page: Page;
  beforeAll(async () => {
    for (let number = 1; number <= 9; number++) {
      await bench().mailkeep.send({ subject: `Mail ${number}`, html: HTML });
    }
  });
  beforeEach(async () => {
    page = await bench().open();
    await page.locator(".mail-row").nth(8).waitFor();
  });

  const press = (keys: readonly string[]) =>
    Promise.all(keys.flatMap((key) => [page.keyboard.down(key), page.keyboard.up(key)]));
  const heading = (name: string) => page.getByRole("heading", { name, exact: true });
  const isOn = (id: string) => page.waitForFunction((id) => document.activeElement?.id === id, id);

  test("every press of j counts, and x selects the mail that is shown", async () => {
    await press(["j", "j", "j", "j", "j", "x"]);
    await heading("Mail 5").waitFor();
    expect(await page.locator(".mail-row.is-selected .subject").allTextContents()).toEqual(["Mail 5"]);
  });

  for (const key of ["Enter", "Escape"]) {
    test(`a search begun right after ${key} keeps the focus`, async () => {
      await press(["j", key, "/", "s"]);
      await page.evaluate(
        () =>
          new Promise((drawn) => {
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn)));
          }),
      );
      await press(["u", "#"]);
      expect(await page.getByLabel("Search mail").inputValue()).toBe("su#");
    });
  }

  test("the last of two keys decides where the focus is", async () => {
    await press(["j", "Enter", "Escape"]);
    await isOn("mail-list");
    await press(["Enter"]);
    await isOn("message-subject");
  });

  test("a key right after the one that closes a dialog counts", async () => {
    await press(["j", "?", "Escape", "j", ",", "Escape", "j"]);
    await heading("Mail 7").waitFor();
  });

  test("a dialog that is opened by a double click stays open", async () => {
    await page.getByRole("button", { name: "Settings" }).dblclick();
    await page.getByRole("dialog").waitFor();
    await page.mouse.click(5, 400);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("keys pressed before the results of a search arrive change no mail", async () => {
    const answered = Promise.withResolvers<void>();
    await intercept(page, /subject=/, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await press(["j", "Escape", "/", ..."subject:5", "Enter", "s", "j", "#"]);
    answered.resolve();
    await page.getByText("1 hit").waitFor();
    expect(await page.locator(".toast, .is-starred").count()).toBe(0);
    await press(["j"]);
    await heading("Mail 5").waitFor();
  });

  test("a held key deletes one mail", async () => {
    await press(["j"]);
    for (const _ of [1, 2, 3]) await page.keyboard.down("Delete");
    await page.keyboard.up("Delete");
    await heading("Mail 8").waitFor();
    await page.keyboard.press("z");
    await heading("Mail 9").waitFor();
    expect(await page.locator(".mail-row").count()).toBe(9);
  });

  test("a request for a message that was left at once is cancelled", async () => {
    const passed = new RegExp(`/${await bench().mailkeep.idOf("Mail 9")}\\?`);
    await intercept(page, passed, () => {});
    const asked = page.waitForRequest(passed);
    const left = page.waitForEvent("requestfailed", (request) => passed.test(request.url()));
    await press(["j"]);
    await asked;
    await press(["j"]);
    await left;
    await page.locator("#tab-panel").waitFor();
    await page.unrouteAll();
    await press(["k"]);
    await heading("Mail 9").waitFor();
    await page.locator("#tab-panel").waitFor();
  });

  test("the back button leads out of a message whose preview was changed", async () => {
    const shown = (look: string) =>
      page.waitForEvent("framenavigated", (frame) => frame.url().endsWith(`scheme=${look}`));
    const first = shown("light");
    await rowOf(page, "Mail 9").click();
    await first;
    for (const look of ["dark", "light"]) {
      const next = shown(look);
      await page.getByTitle(`${look} preview`).click();
      await next;
    }
    await page.evaluate(() => history.back());
    await page.waitForURL(bench().mailkeep.http);
  });

  test("text typed during a release is kept when the server answers", async () => {
    const answered = Promise.withResolvers<void>();
    await intercept(page, "**/release", async (route) => {
      await answered.promise;
      await route.fulfill({ status: 502, json: { error: "There is nobody.", code: "release_failed" } });
    });
    await press(["j", "r"]);
    await page.getByLabel("Host").fill("wrong.example.com");
    await page.keyboard.press("Enter");
    await page.getByLabel("Host").fill("right.example.com");
    await page.getByLabel("Port").fill("2525");
    answered.resolve();
    await page.getByText("There is nobody.").waitFor();
    expect(await page.getByLabel("Host").inputValue()).toBe("right.example.com");
    expect(await page.getByLabel("Port").inputValue()).toBe("2525");
  });
});
