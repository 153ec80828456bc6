// Requests that a test answers itself, or holds.
import type { Page, Route } from "playwright-core";

/**
 * Chromium says that it intercepts before the page is told of it. What a key asks for right then goes past, and Playwright
 * never tells of that request. A question to the page is answered after it was told.
 */
export async function intercept(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, answer);
  await page.evaluate(() => undefined);
}
