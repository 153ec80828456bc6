// Addresses of the page: a link to one message, its tabs, reload and the back button.
import { beforeAll, expect, test } from "bun:test";
import { picture } from "../../scripts/sample/pictures.ts";
import { inBrowser, keepUndo, rowOf } from "./support/browser.ts";
import { startMailkeep } from "./support/mailkeep.ts";

inBrowser("addresses", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "First" });
    await mailkeep.send({ subject: "Second", html: "<p>Hello</p>" });
  });

  test("a link to a message and its tab opens them, and a reload stays there", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("First")}?tab=headers`);
    const tab = page.getByRole("tab", { name: "Headers", selected: true });
    await tab.waitFor();
    await page.reload();
    await tab.waitFor();
    await page.getByRole("heading", { name: "First" }).waitFor();
  });

  test("the back button leads from a message to the list and forward again", async () => {
    const page = await bench().open("/?unread=true");
    await rowOf(page, "Second").click();
    await page.getByRole("heading", { name: "Second" }).waitFor();
    await page.goBack();
    await page.getByText("Select a mail").waitFor();
    expect(new URL(page.url()).search).toBe("?unread=true");
    await page.goForward();
    await page.getByRole("heading", { name: "Second" }).waitFor();
  });

  test("the back button does not open mails again that were closed with Escape", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage();
    await page.goto(`${mailkeep.http}/favicon.svg`);
    await page.goto(mailkeep.http);
    for (const subject of ["First", "Second"]) {
      await rowOf(page, subject).click();
      await page.getByRole("heading", { name: subject }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("Select a mail").waitFor();
    }
    await page.goBack();
    expect(new URL(page.url()).pathname).toBe("/favicon.svg");
  });

  test("the back button leaves the page after a mail was deleted, restored and deleted on a phone", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage({ viewport: { width: 390, height: 740 } });
    await page.goto(`${mailkeep.http}/favicon.svg`);
    await page.goto(mailkeep.http);
    await keepUndo(page);
    const opened = page.getByRole("heading", { name: "First" });
    await rowOf(page, "First").click();
    await opened.waitFor();
    for (const step of ["deleted", "deleted again"]) {
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await rowOf(page, "Second").waitFor();
      if (step === "deleted") await page.getByRole("button", { name: "Undo" }).click();
      if (step === "deleted") await opened.waitFor();
    }
    await page.keyboard.press("z");
    await opened.waitFor();
    await page.goBack();
    await rowOf(page, "First").waitFor();
    await page.goBack();
    expect(new URL(page.url()).pathname).toBe("/favicon.svg");
  });

  test("the back button leads out of a mail after jumps within it", async () => {
    const { open, mailkeep } = bench();
    const html = `<a href="#end">To the end</a><p style="height: 5000px">Long</p><p id="end">End</p>`;
    await mailkeep.send({ subject: "Long", html });
    const page = await open();
    await rowOf(page, "Long").click();
    const body = page.frameLocator("iframe.html-frame");
    const jump = body.getByRole("link", { name: "To the end" });
    await jump.click();
    await body.locator("#end:target").waitFor();
    await jump.press("Enter");
    await page.evaluate(() => history.back());
    await page.waitForURL(mailkeep.http);
    await page.getByText("Select a mail").waitFor();
  });

  for (const path of ["/messages/nonsense", "/a/b?c=d"]) {
    test(`${path} says that nothing is there and shows the inbox`, async () => {
      const page = await bench().open(path);
      await page.getByText(`There is nothing at ${path.replace(/\?.*/, "")}`).waitFor();
      await rowOf(page, "First").waitFor();
      expect(new URL(page.url()).pathname).toBe("/");
    });
  }

  test("on a server with a password, the page, its list, its events and its pictures need it only once", async () => {
    const guarded = await startMailkeep({ smtp: 0, http: 0 }, ["--http-auth", "ann:secret"]);
    await guarded.send({
      subject: "Listed",
      html: `<img src="cid:logo">`,
      attachments: [{ filename: "a.png", cid: "logo", content: picture(8, 8, [0, 90, 80], [200, 230, 220]) }],
    });
    const page = await bench().newPage();
    await page.goto(guarded.http.replace("//", "//ann:secret@"));
    await page.locator("html[data-live=live]").waitFor();
    await guarded.send({ subject: "Guarded" });
    await rowOf(page, "Guarded").waitFor();
    await rowOf(page, "Listed").click();
    await page.getByRole("heading", { name: "Listed" }).waitFor();
    await page.getByText("2 · 1 unread").waitFor();
    const width = await page
      .frameLocator("iframe.html-frame")
      .locator("img")
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
    expect(width).toBe(8);
    await guarded.stop();
  });

  test("a link to a message that does not exist says so", async () => {
    const page = await bench().open("/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV");
    await page.getByRole("heading", { name: "This mail no longer exists" }).waitFor();
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByText("Select a mail").waitFor();
  });
});
