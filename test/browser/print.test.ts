// The page on paper.
import { expect, test } from "bun:test";
import { inBrowser } from "./support/browser.ts";

const LINES = Array.from({ length: 400 }, (_, at) => `line ${at + 1}`).join("\n");

inBrowser("printing", (bench) => {
  test("shows only the opened message, in full, dark on white, or the list if none is open", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "To be filed", text: LINES });
    const id = await mailkeep.idOf("To be filed");
    const page = await open(`/messages/${id}`, { colorScheme: "dark" });
    await page.getByText("line 400").waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("heading", { name: "To be filed" }).isVisible()).toBe(true);
    for (const part of [".list-pane", ".top-bar", ".message-toolbar", ".tabs"]) {
      expect(await page.locator(part).isVisible()).toBe(false);
    }
    const { colour, pageHeight, end } = await page.locator(".text-view").evaluate((text) => ({
      colour: getComputedStyle(text).color,
      pageHeight: document.documentElement.scrollHeight,
      end: text.getBoundingClientRect().bottom,
    }));
    expect(colour).toBe("rgb(27, 33, 31)");
    expect(end).toBeGreaterThan(400 * 15);
    expect(pageHeight).toBeGreaterThanOrEqual(Math.floor(end));
    await page.keyboard.press("Escape");
    await page.locator(".message-head").waitFor({ state: "detached" });
    expect(await page.locator(".mail-row", { hasText: "To be filed" }).isVisible()).toBe(true);
  });

  test("prints all pages of an HTML body", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Marked up", html: "<p>Line</p>".repeat(200) });
    const page = await open(`/messages/${await mailkeep.idOf("Marked up")}`, { colorScheme: "light" });
    await page.frameLocator(".html-frame").getByText("Line").last().waitFor();
    await page.emulateMedia({ media: "print" });
    const tell = (event: string) => page.evaluate((event) => window.dispatchEvent(new Event(event)), event);
    const heights = () =>
      page.locator(".html-frame").evaluate((frame: HTMLIFrameElement) => ({
        frame: frame.clientHeight,
        content: frame.contentDocument?.documentElement.scrollHeight ?? 0,
      }));
    await tell("beforeprint");
    const printed = await heights();
    expect(printed.content).toBeGreaterThan(200 * 15);
    expect(printed.frame).toBe(printed.content);
    await tell("afterprint");
    expect((await heights()).frame).toBeLessThan(printed.frame);
  });
});
