// axe-core finds nothing to complain about, in any main view, light and dark.
import { beforeAll, expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { SAMPLE_MAILS } from "../../scripts/sample/mails.ts";
import { sendSample } from "../../scripts/sample/send.ts";
import { inBrowser } from "./support/browser.ts";

const VIEWS: Record<
  string,
  { path?: string; subject?: string; prepare?: (page: Page) => Promise<void>; isLightOnly?: true }
> = {
  "the list": {},
  "an HTML message": { subject: "Thank you" },
  "a text message": { isLightOnly: true, subject: "Invoice" },
  "its header fields": { isLightOnly: true, subject: "Thank you", path: "?tab=headers" },
  "its source": { subject: "Thank you", path: "?tab=source" },
  "its attachments": { isLightOnly: true, subject: "Thank you", path: "?tab=attachments" },
  "its checks": { subject: "Thank you", path: "?tab=checks" },
  "a search": { path: "/?q=order" },
  "a search without hits": { isLightOnly: true, path: "/?q=zebra" },
  "a selection": { prepare: (page) => page.getByRole("checkbox").first().click() },
  "the settings": { prepare: (page) => page.keyboard.press(",") },
  "the keys": { isLightOnly: true, prepare: (page) => page.keyboard.press("?") },
  "the question before deleting all": {
    prepare: (page) => page.getByRole("button", { name: "Delete all mail" }).click(),
  },
  "the release dialog": { subject: "Invoice", prepare: (page) => page.keyboard.press("r") },
};

inBrowser("accessibility", (bench) => {
  beforeAll(async () => {
    for (const mail of SAMPLE_MAILS.slice(-6)) await sendSample(bench().mailkeep, mail);
  });

  const SCHEMES = { light: undefined, dark: ["color-contrast"] };
  for (const colorScheme of ["light", "dark"] as const) {
    test(`no violation in ${colorScheme}`, async () => {
      const { open, mailkeep } = bench();
      const page = await open("/", { colorScheme, reducedMotion: "reduce" });
      const found: string[] = [];
      for (const [name, { path = "", subject, prepare, isLightOnly }] of Object.entries(VIEWS)) {
        if (isLightOnly && colorScheme === "dark") continue;
        await page.goto(mailkeep.http + (subject ? `/messages/${await mailkeep.idOf(subject)}` : "") + path);
        await page
          .locator(subject ? ".tab-panel > *" : ".mail-row, .notice")
          .first()
          .waitFor();
        await prepare?.(page);
        found.push(
          ...(await violationsIn(page, SCHEMES[colorScheme])).map((violation) => `${name}: ${violation}`),
        );
      }
      expect(found).toEqual([]);
    });
  }
});

async function violationsIn(page: Page, rules: string[] | undefined): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe: engine } = window as unknown as { axe: typeof axe };
    const { violations } = await engine.run(
      // The mail in the frame is not ours to judge.
      { exclude: [["iframe"]] },
      { iframes: false, ...(only && { runOnly: only }) },
    );
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(" ")}`));
  }, rules);
}
