// The page at every width: one pane or two, nothing cut off, settings that are remembered.
import { beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { inBrowser, rowOf } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";
import { intercept } from "./support/intercept.ts";

const LONG = "A subject that goes on and on, much longer than any small screen could show in one line";

inBrowser("the layout", (bench) => {
  beforeAll(() => bench().mailkeep.send({ subject: LONG, to: `${"long".repeat(15)}@example.com` }));

  for (const width of [360, 799]) {
    test(`fits ${width} pixels without scrolling sideways`, async () => {
      const page = await bench().open("/", { viewport: { width, height: 740 } });
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await rowOf(page, "A subject").waitFor();
      expect(await overflow()).toBeLessThanOrEqual(0);
      await rowOf(page, "A subject").locator(".subject").click();
      await page.getByRole("heading", { name: "A subject" }).waitFor();
      expect(await overflow()).toBeLessThanOrEqual(0);
    });
  }

  test("cuts off no action of a mail at 320 pixels", async () => {
    const page = await bench().open(`/messages/${await bench().mailkeep.idOf("A subject")}`, {
      viewport: { width: 320, height: 640 },
    });
    const next = await page.getByRole("button", { name: "Next mail" }).boundingBox();
    expect((next?.x ?? 0) + (next?.width ?? 0)).toBeLessThanOrEqual(320);
  });

  test("fits dialogs into 320 pixels, as on a page that is enlarged four times", async () => {
    const page = await bench().open(`/messages/${await bench().mailkeep.idOf("A subject")}`, {
      viewport: { width: 320, height: 640 },
    });
    for (const [key, name] of [
      ["?", "Keyboard"],
      [",", "Settings"],
      ["t", "Tag the mail"],
      ["r", "Release to a real server"],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole("dialog", { name });
      await dialog.waitFor();
      const beyond = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect({ name, beyond }).toEqual({ name, beyond: 0 });
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("shows the number of recipients if the first is long", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      subject: "To three",
      to: [`${"long".repeat(15)}@example.com`, "b@x.org", "c@x.org"],
    });
    const page = await open("/", { viewport: { width: 390, height: 740 } });
    const count = rowOf(page, "To three").getByText("+2");
    const isInSight = (count: Element) => {
      const [line, mark] = [count.closest(".recipients"), count].map((part) => part?.getBoundingClientRect());
      return line !== undefined && mark !== undefined && mark.width > 0 && mark.right <= line.right;
    };
    expect(await count.evaluate(isInSight)).toBe(true);
  });

  test("cuts a tag that is too long for the drawer", async () => {
    const { open, mailkeep } = bench();
    const [id = ""] = await mailkeep.ids();
    const tagIt = (tags: string[]) => mailkeep.ask("PATCH", `/messages/${id}`, { tags });
    await tagIt(["W".repeat(50), "short", "other"]);
    const page = await open("/", { viewport: { width: 390, height: 740 } });
    await page.getByRole("button", { name: "Mailbox and tags" }).click();
    for (const entry of await page.locator(".rail-entry").all()) {
      expect(await entry.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    }
    expect(await page.locator(".rail-entry", { hasText: "WWW" }).getAttribute("title")).toBe("W".repeat(50));
  });

  test("says where to send mail: a wide page in the bar, a narrow one in the drawer", async () => {
    const { open, mailkeep } = bench();
    const page = await open("/", {
      viewport: { width: 1024, height: 740 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const address = `${mailkeep.smtp.host}:${mailkeep.smtp.port}`;
    const copyFrom = async (part: Locator) => {
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await part.getByText(address).waitFor();
      await part.getByRole("button", { name: "Copy SMTP address" }).click();
      await part.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
    };
    await copyFrom(page.getByRole("banner"));
    await page.setViewportSize({ width: 799, height: 740 });
    await page.getByRole("button", { name: "Mailbox and tags" }).click();
    await copyFrom(page.getByRole("dialog"));
  });

  test("leaves room to search next to a long SMTP address, also with letters twice as large", async () => {
    const { newPage, mailkeep } = bench();
    const page = await newPage({ viewport: { width: 800, height: 740 } });
    const host = "mailkeep.staging.eu-central-1.internal.example.com";
    await intercept(page, "**/api/v1/info", async (route) => {
      const info = await (await route.fetch()).json();
      await route.fulfill({ json: { ...info, smtp: { ...info.smtp, host } } });
    });
    const search = page.getByRole("search");
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await page.goto(mailkeep.http);
    await page.getByRole("banner").getByTitle(host).waitFor();
    expect((await search.boundingBox())?.width).toBeGreaterThan(180);
    const live = await page.getByText("Live", { exact: true }).boundingBox();
    const help = await page.getByRole("button", { name: "Keyboard shortcuts" }).boundingBox();
    expect((live?.x ?? 0) + (live?.width ?? 0)).toBeLessThan(help?.x ?? 0);
    const browser = await page.context().newCDPSession(page);
    await browser.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    expect((await search.boundingBox())?.width).toBeGreaterThan(180);
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  test("copies from a dialog, also where the page is not served by HTTPS", async () => {
    const { newPage, mailkeep } = bench();
    const page = await newPage({ viewport: { width: 1024, height: 740 } });
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(mailkeep.http);
    await page.getByRole("button", { name: "Mailbox and tags" }).click();
    const button = page.getByRole("dialog").getByRole("button", { name: "Copy SMTP address" });
    await button.click();
    await page.getByRole("dialog").getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Copied");
    await page.keyboard.press("Escape");
    await page.getByLabel("Search mail").focus();
    await page.keyboard.press("Control+v");
    expect(await page.getByLabel("Search mail").inputValue()).toBe(
      `${mailkeep.smtp.host}:${mailkeep.smtp.port}`,
    );
  });

  test("shows every tab at 360 and 800 pixels, with attachments too", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      subject: "All tabs",
      html: "<p>Hello</p>",
      attachments: Array.from({ length: 12 }, (_, index) => ({ filename: `${index}.txt`, content: "x" })),
    });
    const page = await open(`/messages/${await mailkeep.idOf("All tabs")}`);
    for (const width of [360, 800]) {
      await page.setViewportSize({ width, height: 740 });
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        const box = await tab.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(width);
      }
    }
  });

  test("cuts off no address and no button next to a wide list", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Beside", from: '"Ada Lovelace" <ada.lovelace@example.com>' });
    const path = `/messages/${await mailkeep.idOf("Beside")}`;
    const page = await open(path, { viewport: { width: 800, height: 740 } });
    const people = page.locator(".head-people");
    await people.waitFor();
    expect((await people.boundingBox())?.height).toBeLessThan(30);
    const beyond = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;
    expect(await page.getByRole("toolbar", { name: "Mail actions" }).evaluate(beyond)).toBe(0);
  });

  test("leaves room to read on low screens", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Sideways", to: "a@example.com, b@example.com", html: "<p>Hello</p>" });
    const page = await open(`/messages/${await mailkeep.idOf("Sideways")}`, {
      viewport: { width: 844, height: 390 },
    });
    const frame = page.locator("iframe.html-frame");
    const pane = page.locator(".message-pane");
    await frame.waitFor({ state: "attached" });
    expect(await pane.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    for (const [width, height] of [
      [844, 390],
      [667, 375],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height });
      await pane.evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      const [outside, box] = [await pane.boundingBox(), await frame.boundingBox()];
      const bottom = (outside?.y ?? 0) + (outside?.height ?? 0);
      expect(bottom - Math.max(box?.y ?? bottom, outside?.y ?? 0)).toBeGreaterThan(70);
    }
  });

  test("stays in place when the browser searches for text that only screen readers get", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Sideways ".repeat(30) });
    const viewport = { width: 320, height: 256 };
    const page = await open(`/messages/${await mailkeep.idOf("Sideways")}`, { viewport });
    await page
      .locator(".message-pane .visually-hidden")
      .first()
      .evaluate((hidden) => hidden.scrollIntoView());
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test("leaves room for the value of a header field with a long name", async () => {
    const { open, mailkeep } = bench();
    const name = "X-MS-Exchange-CrossTenant-OriginalAttributedTenantConnectingIp";
    await mailkeep.send({ subject: "Long field", headers: { [name]: "TenantId=1" } });
    const path = `/messages/${await mailkeep.idOf("Long field")}?tab=headers`;
    const page = await open(path, { viewport: { width: 390, height: 740 } });
    const cell = page.getByRole("row", { name }).getByRole("cell");
    await cell.waitFor();
    const panel = page.getByRole("tabpanel");
    expect(await panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1024, height: 740 });
    expect((await cell.boundingBox())?.width).toBeGreaterThan(250);
  });

  test("scrolls to the selected tab if not all fit", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("All tabs")}?tab=checks`, {
      viewport: { width: 240, height: 600 },
    });
    await page.getByRole("tab", { name: "Attachments 12" }).waitFor();
    await page.waitForFunction(() => {
      const { right } = document.querySelector("#tab-checks")?.getBoundingClientRect() ?? {};
      return right !== undefined && right <= window.innerWidth;
    });
  });

  test("cuts a long subject to one line until the details are opened", async () => {
    const { open, mailkeep } = bench();
    const subject = "W".repeat(300);
    await mailkeep.send({ subject });
    const page = await open(`/messages/${await mailkeep.idOf(subject)}`, {
      viewport: { width: 360, height: 740 },
    });
    const height = async () => (await page.locator("#message-subject").boundingBox())?.height ?? 0;
    expect(await height()).toBeLessThan(40);
    await page.locator(".head-people").click();
    expect(await height()).toBeGreaterThan(100);
    await page.keyboard.press("i");
    expect(await height()).toBeLessThan(40);
  });

  test("shows one pane at a time when narrow, with a way back", async () => {
    const page = await bench().open("/", { viewport: { width: 390, height: 740 } });
    await rowOf(page, "A subject").locator(".subject").click();
    await page.getByRole("heading", { name: "A subject" }).waitFor();
    expect(await page.locator(".list-pane").count()).toBe(0);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await rowOf(page, "A subject").waitFor();
    expect(await page.locator(".message-pane").count()).toBe(0);
  });

  test("shows one preview over the whole width of a narrow page, whatever was chosen on a wide one", async () => {
    const { newPage, mailkeep } = bench();
    const page = await newPage({ viewport: { width: 900, height: 740 } });
    await mailkeep.send({ subject: "Turned", html: "<p>Hello</p>" });
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("Turned")}`);
    await page.getByTitle("Tablet").click();
    await page.getByTitle("Light beside dark").click();
    await page.locator("iframe").nth(1).waitFor();
    await page.setViewportSize({ width: 600, height: 740 });
    await page.locator("iframe").nth(1).waitFor({ state: "detached" });
    expect((await page.locator("iframe").boundingBox())?.width).toBe(600);
  });

  test("has fields that an iPhone does not zoom into", async () => {
    const { open, mailkeep } = bench();
    const id = await mailkeep.idOf("A subject");
    const page = await open(`/messages/${id}?tab=headers`, {
      viewport: { width: 390, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await page.locator(".table").waitFor();
    await page.keyboard.press("r");
    await page.getByLabel("Host").waitFor();
    const sizes = await page
      .locator("input:not([type=radio]), select, textarea")
      .evaluateAll((fields) => fields.map((field) => getComputedStyle(field).fontSize));
    expect(sizes.length).toBeGreaterThan(5);
    expect(new Set(sizes)).toEqual(new Set(["16px"]));
  });

  test("scrolls the list of a narrow page back to where it was left", async () => {
    const { open, mailkeep } = bench();
    await floodBySmtp(mailkeep.smtp, 100);
    const page = await open("/", { viewport: { width: 390, height: 740 } });
    await rowOf(page, "Mail 100").first().waitFor();
    const list = page.locator("#mail-list");
    await list.evaluate((element) => element.scrollTo(0, 2400));
    await rowOf(page, "Mail 60").locator(".subject").click();
    await page.getByRole("heading", { name: "Mail 60" }).waitFor();
    await page.goBack();
    await rowOf(page, "Mail 60").waitFor();
    expect(await list.evaluate((element) => element.scrollTop)).toBe(2400);
  });

  test("theme and density are remembered", async () => {
    const page = await bench().open();
    await page.keyboard.press(",");
    await page.getByText("Dark", { exact: true }).click();
    await page.getByText("Compact").click();
    await page.reload();
    await page.locator(".mail-row .subject").first().waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
    expect((await page.locator(".mail-row").first().boundingBox())?.height).toBe(44);
  });

  test("shows mail although stored settings are damaged or have unknown values", async () => {
    const page = await bench().open();
    await page.evaluate(() => {
      const stored = { density: "null", "release-target": "null", theme: '"cosy"' };
      for (const [name, value] of Object.entries(stored)) localStorage.setItem(`mailkeep.${name}`, value);
    });
    await page.reload();
    await page.locator(".mail-row .subject").first().click();
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("dialog", { name: "Release to a real server" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press(",");
    for (const name of ["System", "Comfortable"]) {
      expect(await page.getByRole("radio", { name }).isChecked()).toBe(true);
    }
  });

  test("cuts nothing off the head at 200 % text size", async () => {
    const { newPage, mailkeep } = bench();
    await mailkeep.send({ subject: "Large letters" });
    const page = await newPage({ viewport: { width: 390, height: 740 } });
    const browser = await page.context().newCDPSession(page);
    await browser.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("Large letters")}`);
    const head = page.locator(".message-top");
    await head.waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("32px");
    const beyond = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;
    expect(await head.evaluate(beyond)).toBe(0);
  });
});
