// Sanitized HTML on its own, without the sandbox and the policy that guard it in Mailkeep: a browser that
// may run scripts finds none, and asks no server for anything.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { sanitizeHtml } from "../../src/mime/html/sanitize-html.ts";
import { LAUNCH_FLAGS } from "./support/chromium.ts";

/** One attack a line, as a JSON string. `xss()` and evil.test must never be reached. */
const attacks: string[] = readFileSync(new URL("../fixtures/html/hostile.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const PAGE = "http://mailkeep.test/";
const inlineUrl = (cid: string) => `${PAGE}inline/${encodeURIComponent(cid)}`;
const executablePath = await findChromium();

test.skipIf(executablePath === null)(
  "no attack runs or reaches out",
  async () => {
    const browser = await chromium.launch({ executablePath: executablePath ?? "", args: [...LAUNCH_FLAGS] });
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      const documents = attacks.map((attack) => sanitizeHtml(attack, { inlineUrl, remote: false }).html);
      await page.route("**/*", (route) => {
        const url = route.request().url();
        const index = /\/doc\/(\d+)$/.exec(url)?.[1];
        if (index) return route.fulfill({ contentType: "text/html", body: documents[Number(index)] ?? "" });
        if (url === PAGE) return route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
        if (!url.startsWith(`${PAGE}inline/`)) asked.push(url);
        return route.abort();
      });
      const ran: string[] = [];
      await page.exposeFunction("report", (what: string) => ran.push(what));
      await page.addInitScript(() => {
        Object.assign(window, { xss: () => Reflect.get(window, "report")(location.href) });
      });
      await page.goto(PAGE);
      await page.evaluate(async (count) => {
        const shown = Array.from({ length: count }, (_, index) => {
          const frame = document.createElement("iframe");
          frame.src = `/doc/${index}`;
          document.body.append(frame);
          return new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
        });
        await Promise.all(shown);
      }, attacks.length);
      const scriptLinks = page
        .frames()
        .map((frame) => frame.locator('a[href^="javascript:" i], area[href^="javascript:" i]').count());
      expect((await Promise.all(scriptLinks)).filter((links) => links > 0)).toEqual([]);
      expect({ ran, asked }).toEqual({ ran: [], asked: [] });
    } finally {
      await browser.close();
    }
  },
  60_000,
);
