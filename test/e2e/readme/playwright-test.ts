// Stands in for @playwright/test when the README's example is run: the same calls, by playwright-core in bun:test.
import { test as bunTest } from "bun:test";
import { chromium, type Locator, type Page } from "playwright-core";
import { startApp } from "./app.ts";

const executablePath = process.env.CHROMIUM_PATH ?? "";

export function test(name: string, body: (fixtures: { page: Page }) => Promise<void>): void {
  bunTest(
    name,
    async () => {
      const app = startApp();
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
      try {
        const page = await browser.newPage({ baseURL: app.url.href });
        await body({ page });
      } finally {
        await browser.close();
        await app.stop(true);
      }
    },
    30_000,
  );
}

export const expect = (locator: Locator) => ({
  toBeVisible: () => locator.waitFor({ state: "visible" }),
});
