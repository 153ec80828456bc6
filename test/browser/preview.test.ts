// The message pane: codes and links, remembered choices, previews side by side.
import { beforeAll, expect, test } from "bun:test";
import { violationsIn } from "./support/axe.ts";
import { inBrowser, rowOf } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";

const WIDE = `<div style="width:1200px;height:40px;background:#eee">wide</div>`;

inBrowser("the message pane", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "Link", html: '<a href="https://shop.example/">Shop</a>' });
    await mailkeep.send({
      subject: "To a long name",
      from: '"Sender of mail" <app@example.com>',
      to: `${"recipient".repeat(6)}@${"example".repeat(8)}.com`,
      html: "<p>Your code is <b>482913</b>.</p>",
    });
    await mailkeep.send({ subject: "Wide", html: WIDE });
    await mailkeep.send({
      subject: "Dark already",
      html: '<body style="background:#111;color:#eee">night</body>',
    });
    await mailkeep.send({ subject: "Long", text: "", html: `<p>Top</p>${"<p>Line</p>".repeat(200)}` });
    await mailkeep.send({
      subject: "Your code",
      html: `<p>Your code is <b>482 913</b>.</p><p><a href="https://shop.example/verify?t=1">Verify your e-mail</a>
        <img src="https://pictures.example/a.png"></p>`,
    });
  });

  const openMail = async (subject: string, options = {}) =>
    bench().open(`/messages/${await bench().mailkeep.idOf(subject)}`, options);

  test("shows a code and a link under the subject, ready to copy", async () => {
    const page = await openMail("Your code", { permissions: ["clipboard-read", "clipboard-write"] });
    const extracts = page.getByRole("list", { name: "Codes and links" });
    await extracts.getByText("482913").waitFor();
    expect(await extracts.getByRole("link", { name: "Confirm" }).getAttribute("href")).toBe(
      "https://shop.example/verify?t=1",
    );
    for (const [button, copied] of [
      ["Copy code 482913", "482913"],
      ["Copy link Confirm", "https://shop.example/verify?t=1"],
    ] as const) {
      await extracts.getByRole("button", { name: button }).click();
      await extracts.locator(`[title="${button}"][aria-label="Copied"]`).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(copied);
    }
  });

  test("a mail with much to show begins within 170 pixels in every tab, on a phone within 200", async () => {
    const { mailkeep } = bench();
    await mailkeep.send({
      subject: `Crowded ${"and long ".repeat(30)}`,
      html: `<p>Your code is <b>482913</b>.</p>${["a", "b"].map((host) => `<a href="https://${host}.example/verify?t=1">Verify</a>`)}`,
    });
    const id = await mailkeep.idOf("Crowded");
    const tags = Array.from({ length: 6 }, (_, at) => `a-rather-long-tag-${at}`);
    await mailkeep.ask("PATCH", `/messages/${id}`, { tags });
    const page = await openMail("Crowded", { viewport: { width: 1440, height: 900 } });
    await page.getByRole("link", { name: "Confirm: Verify" }).waitFor();
    for (const [width, most] of [
      [1440, 170],
      [1024, 170],
      [390, 200],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        expect((await page.getByRole("tabpanel").boundingBox())?.y).toBeLessThanOrEqual(most);
      }
    }
    expect(await violationsIn(page)).toEqual([]);
  });

  test("a row shows its code on a touch screen, and its subject beside long tags", async () => {
    const page = await bench().open("/", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 900 },
    });
    const copy = rowOf(page, "Your code").getByRole("button", { name: "Copy code 482913" });
    await copy.waitFor();
    const text = await rowOf(page, "Your code").locator(".mail-link").boundingBox();
    expect((await copy.boundingBox())?.x).toBeGreaterThanOrEqual((text?.x ?? 0) + (text?.width ?? 0));
    expect(await rowOf(page, "Your code").getByRole("button", { name: "Delete" }).count()).toBe(0);
    const crowded = rowOf(page, "Crowded");
    await crowded.getByRole("button", { name: "Copy code" }).waitFor();
    expect((await crowded.locator(".subject").boundingBox())?.width).toBeGreaterThan(50);
  });

  test("width, colours and tab stay for the next mail and after a reload", async () => {
    const page = await openMail("Your code");
    const frame = page.locator("iframe.html-frame");
    await frame.waitFor();
    await page.keyboard.press("w");
    await page.keyboard.press("d");
    const isPhone = () =>
      page.waitForFunction(() => document.querySelector(".html-frame")?.clientWidth === 375);
    await isPhone();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Long" }).waitFor();
    await isPhone();
    await page.reload();
    await isPhone();
    expect(await page.getByRole("radio", { name: "Dark preview" }).isChecked()).toBe(true);
    await page.keyboard.press("3");
    await page.locator(".table").waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Your code" }).waitFor();
    await page.getByRole("tab", { name: "Headers", selected: true }).waitFor();
    await page.keyboard.press("1");
    await frame.waitFor();
  });

  test("remote images are always loaded after Always was chosen", async () => {
    const page = await openMail("Your code");
    let asked = 0;
    await intercept(page, "https://pictures.example/*", (route) => {
      asked++;
      return route.abort();
    });
    await page.getByRole("button", { name: "Always" }).click();
    await page.frameLocator("iframe.html-frame").locator("img[src]").waitFor({ state: "attached" });
    await page.reload();
    await page.frameLocator("iframe.html-frame").locator("img[src]").waitFor({ state: "attached" });
    expect(asked).toBeGreaterThan(0);
    expect(await page.getByText("Remote images are blocked").count()).toBe(0);
  });

  test("a dark preview says what it imitates, darkens light mail and leaves dark mail dark", async () => {
    const page = await openMail("Long");
    const background = () =>
      page
        .frameLocator("iframe.html-frame")
        .locator("body")
        .evaluate((body) => getComputedStyle(body).backgroundColor);
    await page.getByTitle("Dark preview").click();
    await page.getByText("partly inverted, as Gmail on Android does").waitFor({ state: "attached" });
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLIFrameElement>(".html-frame")?.contentDocument?.body?.style
          .backgroundColor === "rgb(18, 18, 18)",
    );
    await page.getByLabel("Dark:").selectOption("full");
    await page.goto(`${bench().mailkeep.http}/messages/${await bench().mailkeep.idOf("Dark already")}`);
    await page.frameLocator("iframe.html-frame").getByText("night").waitFor();
    expect(await background()).toBe("rgb(17, 17, 17)");
  });

  test("a dark preview lightens links without a colour of their own", async () => {
    const page = await openMail("Link");
    const link = page.frameLocator("iframe.html-frame").getByText("Shop");
    await page.getByTitle("Dark preview").click();
    for (const kind of ["partial", "full"]) {
      await page.getByLabel("Dark:").selectOption(kind);
      await page.frameLocator("iframe.html-frame").locator("a[style]").waitFor();
      expect(await link.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(205, 205, 255)");
    }
  });

  test("a long recipient hides neither the sender nor codes and links", async () => {
    const page = await openMail("To a long name", { viewport: { width: 390, height: 844 } });
    const sender = page.locator(".head-sender");
    const hidden = await sender.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBeLessThanOrEqual(2);
    await page.setViewportSize({ width: 1440, height: 900 });
    const copy = await page.getByRole("button", { name: "Copy code" }).boundingBox();
    expect((copy?.x ?? 1440) + (copy?.width ?? 0)).toBeLessThan(1440);
  });

  test("the tools below a mail with blocked images have two rows on a phone, in dark, too", async () => {
    const page = await openMail("Your code", { viewport: { width: 390, height: 844 } });
    await page.getByText("Remote images are blocked").waitFor();
    const height = async () => (await page.locator(".desk-foot").boundingBox())?.height;
    expect(await height()).toBeLessThan(80);
    await page.keyboard.press("d");
    await page.getByLabel("Dark:").waitFor();
    expect(await height()).toBeLessThan(80);
  });

  test("phone and desktop stand side by side and scroll in step", async () => {
    const page = await openMail("Long");
    await page.getByTitle("Phone beside desktop").click();
    await page.frameLocator("iframe.html-frame >> nth=1").getByText("Top").waitFor();
    await page.waitForFunction(() => {
      const frames = [...document.querySelectorAll<HTMLIFrameElement>(".html-frame")];
      return frames.every(({ contentDocument }) => contentDocument?.readyState === "complete");
    });
    // The page scales the second frame when it has measured the place for it.
    await page.waitForFunction(() => {
      const [phone = 0, desktop = 0] = [...document.querySelectorAll(".html-frame")].map(
        ({ clientWidth }) => clientWidth,
      );
      return phone === 375 && desktop >= 999;
    });
    await page
      .frameLocator("iframe.html-frame >> nth=0")
      .locator("html")
      .evaluate((root) => root.scrollTo(0, root.scrollHeight));
    await page.waitForFunction(() => {
      const root =
        document.querySelectorAll<HTMLIFrameElement>(".html-frame")[1]?.contentDocument?.scrollingElement;
      return root && root.scrollTop > 100;
    });
    await page.getByTitle("Light beside dark").click();
    await page.frameLocator("iframe[title*=dark]").getByText("Top").waitFor();
    const halves = await page
      .locator("iframe.html-frame")
      .evaluateAll((frames) => frames.map(({ clientWidth }) => clientWidth));
    expect(halves[0]).toBe(halves[1]);
    const dark = await page.locator("iframe[title*=dark]").elementHandle();
    await page
      .frameLocator("iframe[title*=light]")
      .locator("html")
      .evaluate((root) => root.scrollTo(0, root.scrollHeight));
    await page.getByLabel("Dark:").selectOption("full");
    await dark?.waitForElementState("hidden");
    await page.waitForFunction(() => {
      const frame = document.querySelector<HTMLIFrameElement>("iframe[title*=dark]");
      return (frame?.contentDocument?.scrollingElement?.scrollTop ?? 0) > 100;
    });
  });

  test("the preview's edge is dragged to any width, and wide mail can be fitted", async () => {
    const page = await openMail("Wide");
    await page.getByTitle("Phone, 375").click();
    const handle = page.getByRole("separator", { name: "Width of the preview" });
    const { x = 0, y = 0, height = 0 } = (await handle.boundingBox()) ?? {};
    await page.mouse.move(x + 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 54, y + height / 2, { steps: 4 });
    await page.mouse.up();
    const width = Number(await handle.getAttribute("aria-valuenow"));
    expect(width).toBeGreaterThan(450);
    await page.getByText(`${width} px`).waitFor();
    const overflow = () =>
      page.evaluate(() => {
        const root =
          document.querySelector<HTMLIFrameElement>(".html-frame")?.contentDocument?.documentElement;
        return root ? root.scrollWidth - root.clientWidth : 0;
      });
    expect(await overflow()).toBeGreaterThan(100);
    await page.getByRole("button", { name: "Fit" }).click();
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLIFrameElement>(".html-frame")?.contentDocument?.documentElement?.style
          .zoom,
    );
    expect(await overflow()).toBeLessThan(20);
  });

  test("a preview is saved as a picture", async () => {
    const page = await openMail("Your code");
    await page.frameLocator("iframe.html-frame").getByText("Your code is").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a picture" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("Your-code.png");
    const bytes = await Bun.file(await file.path()).bytes();
    expect([...bytes.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    expect(bytes.length).toBeGreaterThan(2000);
  });

  test("the opened mail is in the middle of the list, and its head is shown before its body", async () => {
    const { mailkeep, newPage } = bench();
    for (let number = 1; number <= 40; number++) await mailkeep.send({ subject: `Filler ${number}` });
    const page = await newPage({ viewport: { width: 1280, height: 800 } });
    const id = await mailkeep.idOf("Filler 20");
    await intercept(page, new RegExp(`/messages/${id}\\?`), () => {});
    await page.goto(`${mailkeep.http}/messages/${id}`);
    await page.getByRole("heading", { name: "Filler 20" }).waitFor();
    const row = await rowOf(page, "Filler 20").boundingBox();
    expect(Math.abs((row?.y ?? 0) - 400)).toBeLessThan(120);
  });

  test("a mail without a text part says that its text was made from the HTML", async () => {
    const page = await openMail("Long");
    await page.keyboard.press("2");
    await page.getByText("This mail has no text part. This text was made from its HTML.").waitFor();
    await page.getByRole("button", { name: "Mono" }).click();
    await page.locator(".text-mono").waitFor();
  });

  test("the text part is compared with the words of the HTML", async () => {
    const { mailkeep } = bench();
    await mailkeep.send({
      subject: "Two bodies",
      text: "Hello Ann\nPay 5 EUR\nTotal 5",
      html: "<p>Hello Ann</p><p>Pay 7 EUR</p><table><tr><td>Total</td><td>5</td></tr></table>",
    });
    const page = await openMail("Two bodies");
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Compare" }).click();
    const compared = page.getByRole("region", { name: "Differences" });
    await compared.locator("del", { hasText: "5" }).waitFor();
    await compared.locator("ins", { hasText: "7" }).waitFor();
    expect(await compared.locator("del, ins").allTextContents()).toEqual(["5", "7"]);
  });
});
