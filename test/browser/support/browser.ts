// One Chromium and one Mailkeep for a test file, and a fresh page for each test. Without Chromium the
// file's tests are skipped.
import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium } from "../../../scripts/chromium.ts";
import { LAUNCH_FLAGS } from "./chromium.ts";
import { type Mailkeep, startMailkeep } from "./mailkeep.ts";

const TEST_TIMEOUT_MS = 30_000;
const WAIT_MS = 12_000;

const executablePath = await findChromium();

export interface Bench {
  readonly mailkeep: Mailkeep;
  readonly browser: Browser;
  /** A page without settings; with options of its own it is a new one, otherwise the same throughout. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Empties the mailbox. */
  reset(): Promise<void>;
}

export function inBrowser(name: string, tests: (bench: () => Bench) => void): void {
  describe.skipIf(executablePath === null)(name, () => {
    setDefaultTimeout(TEST_TIMEOUT_MS);
    let bench: Bench;
    beforeAll(async () => {
      const browser = await chromium.launch({
        executablePath: executablePath ?? "",
        args: [...LAUNCH_FLAGS],
      });
      bench = newBench(browser, await startMailkeep());
    });
    afterAll(async () => {
      await bench.browser.close();
      await bench.mailkeep.stop();
    });
    tests(() => bench);
  });
}

function newBench(browser: Browser, mailkeep: Mailkeep): Bench {
  let plain: Page | undefined;
  return {
    mailkeep,
    browser,
    open: async (path = "/", options = {}) => {
      const isPlain = Object.keys(options).length === 0;
      const page = isPlain && plain ? plain : await newPage(browser, options);
      if (isPlain) plain = page;
      await page.goto(`${mailkeep.http}/favicon.svg`);
      await page.evaluate(() => localStorage.clear());
      await page.goto(mailkeep.http + path);
      await page.locator(".live-live").waitFor();
      await page.locator(".mail-row .subject, .message-head, .notice h2, .empty-inbox").first().waitFor();
      return page;
    },
    reset: async () => {
      await fetch(`${mailkeep.http}/api/v1/messages`, { method: "DELETE" });
    },
  };
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  return context.newPage();
}

/** The row of the mail with this subject. */
export const rowOf = (page: Page, subject: string) => page.locator(".mail-row", { hasText: subject });

export const subjectsIn = (page: Page) => page.locator(".mail-row .subject").allTextContents();

/** Waits until the list shows exactly these subjects, in this order. */
export async function waitForSubjects(page: Page, subjects: readonly string[]): Promise<void> {
  await page.waitForFunction((wanted) => {
    const shown = [...document.querySelectorAll(".mail-row .subject")].map((element) => element.textContent);
    return JSON.stringify(shown) === wanted;
  }, JSON.stringify(subjects));
}
