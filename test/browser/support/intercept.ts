// Requests that a test answers or delays.
import type { Page, Route } from "playwright-core";

/** Chromium confirms an interception a moment before it takes effect. Once the page answers, it has taken effect. */
export async function intercept(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, answer);
  await page.evaluate(() => undefined);
}
