// The page below a path of a shared site.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { inBrowser, rowOf } from "./support/browser.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

inBrowser("below a path", (bench) => {
  let mailkeep: Mailkeep;
  beforeAll(async () => {
    mailkeep = await startMailkeep({ smtp: 0, http: 0 }, ["--base-path", "/tools/mail"]);
    await mailkeep.send({
      subject: "Picture",
      html: '<img src="cid:pixel">',
      attachments: [{ cid: "pixel", filename: "pixel.png", content: PIXEL, encoding: "base64" }],
    });
  });
  afterAll(() => mailkeep.stop());

  test("the page lists and opens mail, gets events, and keeps its path", async () => {
    const page = await bench().newPage();
    const home = `${mailkeep.http}/tools/mail/`;
    await page.goto(home);
    await page.locator("html[data-live=live]").waitFor();
    await rowOf(page, "Picture").click();
    await page.getByRole("heading", { name: "Picture" }).waitFor();
    const id = await mailkeep.idOf("Picture");
    expect(page.url()).toStartWith(`${home}messages/${id}`);
    const image = page.frameLocator("iframe").locator("img");
    await image.waitFor();
    expect(
      await image.evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth)),
    ).toBe(1);
    await mailkeep.send({ subject: "Later" });
    await rowOf(page, "Later").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Picture" }).waitFor();
    await page.getByRole("link", { name: "Mailkeep, show all mail" }).click();
    await page.waitForURL(home);
  });

  test("an unknown address leads to all mail, and the menu to the API documentation", async () => {
    const page = await bench().newPage();
    const home = `${mailkeep.http}/tools/mail/`;
    await page.goto(`${home}nonsense`);
    await page.waitForURL(home);
    await page.getByRole("button", { name: "More actions" }).click();
    const document = page.waitForResponse(`${home}api/v1/openapi.json`);
    await page.getByRole("button", { name: "API documentation" }).click();
    expect((await document).status()).toBe(200);
  });

  test("a notification loads its picture below that path", async () => {
    const page = await bench().newPage();
    await page.addInitScript(() => {
      localStorage.setItem("mailkeep.notify", JSON.stringify("on"));
      Object.defineProperty(document, "hidden", { value: true });
      class Notification {
        static readonly requestPermission = async () => "granted";
        constructor(_title: string, { icon }: NotificationOptions) {
          document.body.dataset.icon = icon;
        }
      }
      Object.defineProperty(window, "Notification", { value: Notification });
    });
    await page.goto(`${mailkeep.http}/tools/mail/`);
    await page.locator("html[data-live=live]").waitFor();
    await mailkeep.send({ subject: "Told" });
    await page.locator('body[data-icon="/tools/mail/favicon.svg"]').waitFor();
  });
});
