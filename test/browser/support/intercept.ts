// Requests that a test answers or delays.
import type { Page, Route } from "playwright-core";

/** Chromium confirms an interception before it applies to the page. After an answer from the page, it applies. */
export async function intercept(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, answer);
  await page.evaluate(() => undefined);
}
