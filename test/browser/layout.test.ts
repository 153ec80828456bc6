// The page at every width: one pane or two, nothing cut off, settings that are remembered.
import { beforeAll, expect, test } from "bun:test";
import { inBrowser, rowOf } from "./support/browser.ts";

const LONG = "A subject that goes on and on, much longer than any small screen could show in one line";

inBrowser("the layout", (bench) => {
  beforeAll(() => bench().mailkeep.send({ subject: LONG, to: `${"long".repeat(15)}@example.com` }));

  for (const width of [360, 390, 799, 1024]) {
    test(`fits ${width} pixels without scrolling sideways`, async () => {
      const page = await bench().open("/", { viewport: { width, height: 740 } });
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await rowOf(page, "A subject").waitFor();
      expect(await overflow()).toBeLessThanOrEqual(0);
      await rowOf(page, "A subject").locator(".subject").click();
      await page.getByRole("heading", { name: "A subject" }).waitFor();
      expect(await overflow()).toBeLessThanOrEqual(0);
      await page.context().close();
    });
  }

  test("shows one pane at a time when narrow, with a way back", async () => {
    const page = await bench().open("/", { viewport: { width: 390, height: 740 } });
    await rowOf(page, "A subject").locator(".subject").click();
    await page.getByRole("heading", { name: "A subject" }).waitFor();
    expect(await page.locator(".list-pane").count()).toBe(0);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await rowOf(page, "A subject").waitFor();
    expect(await page.locator(".message-pane").count()).toBe(0);
    await page.context().close();
  });

  test("theme and density are remembered", async () => {
    const page = await bench().open();
    await page.keyboard.press(",");
    await page.getByText("Dark", { exact: true }).click();
    await page.getByText("Compact").click();
    await page.reload();
    await rowOf(page, "A subject").waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
    expect((await rowOf(page, "A subject").boundingBox())?.height).toBe(56);
  });
});
