// The basics in Firefox, driven by WebDriver BiDi.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, launch, type Page } from "puppeteer-core";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

const firefox = process.env.FIREFOX_PATH ?? Bun.which("firefox-esr") ?? Bun.which("firefox");
const name = firefox === null ? "Firefox (firefox-esr is not installed)" : "Firefox";

describe.skipIf(firefox === null)(name, () => {
  let mailkeep: Mailkeep;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    mailkeep = await startMailkeep();
    browser = await launch({
      browser: "firefox",
      executablePath: firefox ?? "",
      args: ["--width=1280", "--height=900"],
      defaultViewport: null,
    });
    // A page in the background draws nothing, so the first page is used.
    page = (await browser.pages())[0] ?? (await browser.newPage());
  });
  afterAll(async () => {
    await browser?.close();
    await mailkeep?.stop();
  });

  const textOf = (selector: string) => page.$eval(selector, ({ textContent }) => textContent);

  test("shows mail as it arrives, opens it, finds it, stars it, deletes it and brings it back", async () => {
    await page.goto(mailkeep.http);
    await page.waitForSelector("html[data-live=live]");
    await page.waitForSelector(".empty-inbox h2");
    await mailkeep.send({ subject: "First", html: "<p>Your code is <b>482913</b></p>" });
    await mailkeep.send({ subject: "Second" });
    await page.waitForSelector(".mail-row:nth-child(2)");
    await page.click(".mail-row:nth-child(2) .subject");
    await page.waitForSelector(".extract code");
    expect(await textOf("#message-subject")).toBe("First");
    expect(await textOf(".extract code")).toBe("482913");
    const frame = await (await page.waitForSelector(".html-frame"))?.contentFrame();
    await frame?.waitForSelector("b");
    await page.keyboard.press("s");
    await page.waitForSelector(".message-toolbar .is-starred");
    await page.type("#search", "is:starred -subject:second");
    await page.waitForSelector(".mail-row:only-child .subject");
    expect(await textOf(".mail-row .subject")).toBe("First");
    await page.click('[aria-label="Remove is:starred"]');
    await page.keyboard.press("#");
    await page.click(".toast .link-button");
    await page.waitForSelector(".mail-row .subject");
    expect(await mailkeep.ids()).toHaveLength(2);
  });
});
