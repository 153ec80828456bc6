// Dialogs keep what is typed, let no key reach the page behind them, and show errors.
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { picture } from "../../scripts/sample/pictures.ts";
import { inBrowser, rowOf } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";

const TOO_LONG = "x".repeat(51);

inBrowser("a dialog", (bench) => {
  let page: Page;
  let id: string;
  beforeAll(async () => {
    await bench().mailkeep.send({
      subject: "Opened",
      attachments: [{ filename: "logo.png", content: picture(8, 8, [0, 90, 80], [200, 230, 220]) }],
    });
    id = await bench().mailkeep.idOf("Opened");
  });
  beforeEach(async () => {
    page = await bench().open(`/messages/${id}?tab=attachments`);
    await page.getByRole("button", { name: "View logo.png" }).waitFor();
  });

  const dialog = () => page.getByRole("dialog");

  test("stays open when a selection of its text ends outside of it", async () => {
    await page.keyboard.press("r");
    await page.getByLabel("Host").fill("smtp.example.com");
    const field = await page.getByLabel("Host").boundingBox();
    const frame = await dialog().boundingBox();
    if (!field || !frame) throw new Error("The dialog is not shown");
    const [beside, within] = [frame.x - 40, field.y + 10];
    await page.mouse.move(field.x + 60, within);
    await page.mouse.down();
    await page.mouse.move(beside, within);
    await page.mouse.up();
    expect(await page.getByLabel("Host").inputValue()).toBe("smtp.example.com");
    await page.mouse.click(beside, within);
    await dialog().waitFor({ state: "detached" });
  });

  test("takes what is typed right after the key that opens it", async () => {
    await page.keyboard.type("tsus#");
    expect(await page.getByLabel("New tag").inputValue()).toBe("sus#");
    await page.keyboard.press("Escape");
    await rowOf(page, "Opened").waitFor();
  });

  test("keeps the keys from the page", async () => {
    await page.getByRole("button", { name: "View logo.png" }).click();
    await page.locator(".viewer-image").click();
    await page.keyboard.press("s");
    await page.keyboard.press("#");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await rowOf(page, "Opened").waitFor();
    expect(await page.locator(".is-starred").count()).toBe(0);
  });

  test("gives the focus back after Done, Enter in an empty field and Escape", async () => {
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "message-subject");
    for (const close of [
      () => page.getByRole("button", { name: "Done" }).click(),
      () => page.keyboard.press("Enter"),
      () => page.keyboard.press("Escape"),
    ]) {
      await page.keyboard.press("t");
      await dialog().waitFor();
      await close();
      await dialog().waitFor({ state: "detached" });
      await page.waitForFunction(() => document.activeElement?.id === "message-subject");
    }
  });

  test("stays open when it is opened right after another was closed", async () => {
    await page.keyboard.press("t");
    const done = page.getByRole("button", { name: "Done" });
    const isOpen = await done.evaluate(async (button: HTMLElement) => {
      button.click();
      while (document.querySelector("dialog")) await Promise.resolve();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true }));
      await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
      return document.querySelector("dialog")?.open;
    });
    expect(isOpen).toBe(true);
  });

  for (const [answer, said] of [
    [{ json: { accepted: ["a@x.org"], rejected: [], response: "250 OK" } }, "Accepted for a@x.org. 250 OK"],
    [{ status: 502, json: { error: "No such host." } }, "Not released: No such host."],
  ] as const) {
    test(`that was closed during a release leaves a notice of the outcome: ${said}`, async () => {
      const closed = Promise.withResolvers<void>();
      await intercept(page, "**/release", async (route) => {
        await closed.promise;
        await route.fulfill(answer);
      });
      await page.keyboard.press("r");
      await page.getByLabel("Host").fill("smtp.example.com");
      await page.keyboard.press("Enter");
      await dialog().getByRole("button", { name: "Release …" }).waitFor();
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      closed.resolve();
      await page.locator(".toast", { hasText: said }).waitFor();
    });
  }

  test("shows no earlier failure beside the success of a release", async () => {
    let isDown = true;
    await intercept(page, "**/release", (route) =>
      isDown
        ? route.fulfill({ status: 502, json: { error: "No such host." } })
        : route.fulfill({ json: { accepted: ["a@x.org"], rejected: [], response: "250 OK" } }),
    );
    await page.keyboard.press("r");
    await page.getByLabel("Host").fill("smtp.example.com");
    await page.keyboard.press("Enter");
    await page.locator(".toast", { hasText: "Not released: No such host." }).waitFor();
    isDown = false;
    await page.keyboard.press("Enter");
    await page.locator(".toast", { hasText: "Accepted for a@x.org" }).waitFor();
    expect(await page.locator(".toast", { hasText: "Not released" }).count()).toBe(0);
  });

  test("gives the focus to the list when the element that had it is gone", async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "Gone meanwhile" });
    const row = rowOf(page, "Gone meanwhile");
    await row.locator(".select-box").click();
    await page.keyboard.press("t");
    await dialog().waitFor();
    const gone = await mailkeep.idOf("Gone meanwhile");
    await mailkeep.ask("DELETE", `/messages/${gone}`);
    await row.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.id === "mail-list");
  });

  test("closes when its message is left, and does not open again over the next", async () => {
    await page.keyboard.press("Escape");
    await rowOf(page, "Opened").click();
    for (const key of ["r", "t"]) {
      await page.locator(".message-head").waitFor();
      await page.keyboard.press(key);
      await dialog().waitFor();
      await page.goBack();
      await dialog().waitFor({ state: "detached" });
      await rowOf(page, "Opened").click();
      await page.locator(".message-head").waitFor();
      expect(await dialog().count()).toBe(0);
    }
  });

  test("says what was not saved and keeps what was typed, even in a window of 400 pixels", async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.keyboard.press("t");
    await page.getByLabel("New tag").fill(`fine, ${TOO_LONG}`);
    await page.keyboard.press("Enter");
    const notice = dialog().getByRole("status").getByText("Not saved");
    await notice.click({ trial: true });
    await dialog().getByRole("button", { name: "Done" }).click({ trial: true });
    expect(await page.getByLabel("New tag").inputValue()).toBe(`fine, ${TOO_LONG}`);
    await page.keyboard.press("Escape");
    await page.locator(".toasts", { hasText: "Not saved" }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
  });

  test("says that mail was deleted elsewhere, and tags no other mail", async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "Ticked" });
    const ticked = await mailkeep.idOf("Ticked");
    await rowOf(page, "Ticked").getByRole("checkbox").click();
    await page.keyboard.press("t");
    await page.getByLabel("New tag").fill("mine");
    await mailkeep.ask("DELETE", `/messages/${ticked}`);
    await rowOf(page, "Ticked").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.getByText("Some of these mails were already deleted and could not be changed.").waitFor();
    expect(await page.locator(".message-head .tag").count()).toBe(0);
  });
});
