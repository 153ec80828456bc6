// One Chromium for all test files of a process, one Mailkeep for each file. A page keeps no settings of earlier tests.
// Without Chromium the tests are skipped.
import { afterAll, afterEach, beforeAll, describe } from "bun:test";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type ViewportSize,
} from "playwright-core";
import { findChromium, LAUNCH_FLAGS } from "../../../scripts/chromium.ts";
import { atEndOfProcess } from "../../support/test-process.ts";
import { type Mailkeep, startMailkeep } from "./mailkeep.ts";

const WAIT_MS = 60_000;
const VIEWPORT = { width: 1280, height: 800 };
/** The browser takes this name for 127.0.0.1, as after DNS rebinding. */
export const REBOUND_HOST = "rebound.example";
const FLAGS = [...LAUNCH_FLAGS, `--host-resolver-rules=MAP ${REBOUND_HOST} 127.0.0.1`];

const executablePath = await findChromium();

let launched: Promise<Browser> | undefined;
function launchOnce(): Promise<Browser> {
  if (launched) return launched;
  const launching = chromium.launch({ executablePath: executablePath ?? "", args: FLAGS });
  atEndOfProcess(async () => (await launching).close());
  launched = launching;
  return launching;
}

export interface Bench {
  readonly mailkeep: Mailkeep;
  readonly browser: Browser;
  /** A page without stored settings. Tests share it unless they give options besides `viewport`. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** A new, empty page for this test. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Empties the mailbox. */
  reset(): Promise<void>;
  /** Closes the test's own pages and ends its interceptions. */
  endTest(): Promise<void>;
  endFile(): Promise<void>;
}

export function inBrowser(name: string, tests: (bench: () => Bench) => void): void {
  describe.skipIf(executablePath === null)(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = newBench(await launchOnce(), await startMailkeep());
    });
    afterEach(() => bench.endTest());
    afterAll(async () => {
      await bench.endFile();
      await bench.mailkeep.stop();
    });
    tests(() => bench);
  });
}

function newBench(browser: Browser, mailkeep: Mailkeep): Bench {
  let plain: Page | undefined;
  let own: Page[] = [];
  const newPage = async (options?: BrowserContextOptions) => {
    const page = await newPageIn(browser, options);
    own.push(page);
    return page;
  };
  const plainPage = async (viewport: ViewportSize) => {
    plain ??= await newPageIn(browser);
    await plain.setViewportSize(viewport);
    // localStorage belongs to an origin, so the page must show Mailkeep first.
    if (!plain.url().startsWith(mailkeep.http)) await plain.goto(`${mailkeep.http}/favicon.svg`);
    await plain.evaluate(() => localStorage.clear());
    return plain;
  };
  return {
    mailkeep,
    browser,
    newPage,
    open: async (path = "/", options = {}) => {
      const { viewport, ...more } = options;
      const page =
        Object.keys(more).length > 0 ? await newPage(options) : await plainPage(viewport ?? VIEWPORT);
      await page.goto(mailkeep.http + path);
      await page.locator("html[data-live=live]").waitFor();
      await page.locator(".mail-row .subject, .message-head, .notice h2, .empty-inbox h2").first().waitFor();
      return page;
    },
    reset: async () => {
      await mailkeep.ask("DELETE", "/messages");
    },
    endTest: async () => {
      const ended = own;
      own = [];
      for (const page of [...ended, ...(plain ? [plain] : [])]) {
        await page.unrouteAll({ behavior: "ignoreErrors" });
      }
      for (const page of ended) await page.context().close();
    },
    endFile: async () => {
      await plain?.context().close();
    },
  };
}

async function newPageIn(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, ...options });
  context.setDefaultTimeout(WAIT_MS);
  return context.newPage();
}

/** Lets deleted mail be restored for a long time, because a busy machine may need more than a few seconds. */
export const keepUndo = (page: Page) =>
  page.evaluate(() => {
    const start = window.setTimeout;
    const patiently = (run: () => void, ms = 0) => start(run, ms >= 6000 ? 600_000 : ms);
    Object.assign(window, { setTimeout: patiently });
  });

export const rowOf = (page: Page, subject: string) => page.locator(".mail-row", { hasText: subject });

export const subjectsIn = (page: Page) => page.locator(".mail-row .subject").allTextContents();

/** Opens a dialog from the rail of a wide page. */
export async function openFromRail(page: Page, name: string): Promise<Locator> {
  await page.getByRole("navigation", { name: "Mailbox" }).getByRole("button", { name }).click();
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  return dialog;
}

/** Waits until the list shows exactly these subjects, in this order. */
export async function waitForSubjects(page: Page, subjects: readonly string[]): Promise<void> {
  await page.waitForFunction((wanted) => {
    const shown = [...document.querySelectorAll(".mail-row .subject")].map((element) => element.textContent);
    return JSON.stringify(shown) === wanted;
  }, JSON.stringify(subjects));
}
