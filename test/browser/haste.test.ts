// Keys and clicks that come without a pause, or while an answer is under way: none goes to other mail.
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

  test("every second of many j was lost, and x took the mail before", async () => {
    await press(["j", "j", "j", "j", "j", "x"]);
    await heading("Mail 5").waitFor();
    expect(await page.locator(".mail-row.is-selected .subject").allTextContents()).toEqual(["Mail 5"]);
  });

  for (const key of ["Enter", "Escape"]) {
    test(`the focus was taken away from the search that was begun right after ${key}`, async () => {
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

  test("the last of two places to go to has the focus", async () => {
    await press(["j", "Enter", "Escape"]);
    await isOn("mail-list");
    await press(["Enter"]);
    await isOn("message-subject");
  });

  test("a key right after the one that closes a dialog was lost", async () => {
    await press(["j", "?", "Escape", "j", ",", "Escape", "j"]);
    await heading("Mail 7").waitFor();
  });

  test("a dialog that was opened by a double click was closed by it", async () => {
    await page.getByRole("button", { name: "Settings" }).dblclick();
    await page.getByRole("dialog").waitFor();
    await page.mouse.click(5, 400);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  for (const [part, done] of [
    [".subject", ".is-opened"],
    [".star-cell > button", ":has(.is-starred)"],
    [".select-box", ".is-selected"],
  ] as const) {
    test(`a click on ${part} was lost when mail came while the button was down`, async () => {
      const { mailkeep } = bench();
      const row = rowOf(page, "Mail 7");
      await row.locator(part).hover();
      await page.mouse.down();
      await mailkeep.send({ subject: "Between" });
      await rowOf(page, "Between").waitFor();
      await page.mouse.up();
      await page.locator(`.mail-row${done}`, { hasText: "Mail 7" }).waitFor();
      const between = await mailkeep.idOf("Between");
      await fetch(`${mailkeep.http}/api/v1/messages/${between}`, { method: "DELETE" });
    });
  }

  const putFinger = async (touched: Page, subject: string) => {
    const { x = 0, y = 0 } = (await rowOf(touched, subject).locator(".subject").boundingBox()) ?? {};
    const finger = await touched.context().newCDPSession(touched);
    const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
      finger.send("Input.dispatchTouchEvent", { type, touchPoints });
    await send("touchStart", [{ x: x + 5, y: y + 5 }]);
    return {
      move: (by: number) => send("touchMove", [{ x: x + 5, y: y + 5 + by }]),
      lift: () => send("touchEnd", []),
    };
  };
  const remove = async (subject: string) => {
    const { http, idOf } = bench().mailkeep;
    await fetch(`${http}/api/v1/messages/${await idOf(subject)}`, { method: "DELETE" });
  };

  test("a finger opened the row that came under it while it was down", async () => {
    const { mailkeep } = bench();
    const touched = await bench().open("/", { hasTouch: true });
    const finger = await putFinger(touched, "Mail 7");
    await mailkeep.send({ subject: "Between" });
    await rowOf(touched, "Between").waitFor();
    await finger.lift();
    await touched.locator(".mail-row.is-opened", { hasText: "Mail 7" }).waitFor();
    await remove("Between");
  });

  test("a finger opened the row beside the one that was deleted under it", async () => {
    await bench().mailkeep.send({ subject: "Gone" });
    const touched = await bench().open("/", { hasTouch: true });
    const finger = await putFinger(touched, "Gone");
    await remove("Gone");
    await rowOf(touched, "Gone").waitFor({ state: "detached" });
    await touched.evaluate(() => {
      const note = () => document.body.classList.add("was-clicked");
      addEventListener("click", note, { capture: true });
    });
    await finger.lift();
    await touched.locator(".was-clicked").waitFor();
    expect(touched.url()).not.toContain("/messages/");
  });

  test("a key that presses a button opened the row on which a finger had begun to scroll", async () => {
    const touched = await bench().open("/", { hasTouch: true });
    const finger = await putFinger(touched, "Mail 7");
    for (const by of [20, 40, 60]) await finger.move(by);
    await finger.lift();
    await touched.getByRole("button", { name: "Settings" }).press("Enter");
    await touched.getByRole("dialog").waitFor();
  });

  test("keys pressed before the list of a search is there change no mail", async () => {
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

  test("a key that is held deleted all mail, one after the other", async () => {
    await press(["j"]);
    for (const _ of [1, 2, 3]) await page.keyboard.down("Delete");
    await page.keyboard.up("Delete");
    await heading("Mail 8").waitFor();
    await page.keyboard.press("z");
    await heading("Mail 9").waitFor();
    expect(await page.locator(".mail-row").count()).toBe(9);
  });

  test("messages that were only passed held up the one that was meant", async () => {
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

  test("Back led through the looks of a message before it led out of it", async () => {
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

  test("what is corrected while a release is under way was undone by its answer", async () => {
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
