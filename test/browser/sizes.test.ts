// What testers of mail do most, at the sizes and in the colours that people use.
import { beforeAll, expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { firstUlidAt } from "../../src/lib/ulid.ts";
import type { MessageList } from "../../src/model/index.ts";
import { violationsIn } from "./support/axe.ts";
import { inBrowser, rowOf, SIZES, waitForSubjects } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";

inBrowser("the page", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({ subject: "Yesterday's report", to: "ann@example.com" });
    await mailkeep.send({ subject: "Your code", text: "Your code is 482913.", to: "ann@example.com" });
    await mailkeep.send({
      subject: "Sale",
      from: '"Shop" <shop@example.com>',
      html: '<p style="display: grid">Sale</p>\n<img src="https://shop.example/a.png">',
    });
  });

  for (const { width, colorScheme } of SIZES) {
    test(`serves who tests mail at ${width} pixels, ${colorScheme}`, async () => {
      const page = await bench().newPage({
        viewport: { width, height: 844 },
        colorScheme,
        reducedMotion: "reduce",
      });
      const isClean = async () => expect(await violationsIn(page)).toEqual([]);
      await page.goto(bench().mailkeep.http);
      await searchWithOperators(page);
      await isClean();
      await filterByRecipient(page, width < 1200, isClean);
      await rowOf(page, "Your code").hover();
      await rowOf(page, "Your code").getByRole("button", { name: "Copy code 482913" }).waitFor();
      await isClean();
      await readChecks(page, isClean);
      await groupByRuns(page, isClean);
    });
  }
});

async function searchWithOperators(page: Page): Promise<void> {
  const box = page.getByLabel("Search mail");
  await box.fill("-from:shop form:x");
  await page.getByText("did you mean from:").first().waitFor();
  await box.fill("-from:shop re");
  await waitForSubjects(page, ["Yesterday's report"]);
  await page.getByRole("button", { name: "Remove -from:shop" }).waitFor();
  await box.fill("-from:shop fr");
  await page.getByRole("list", { name: "Suggestions" }).getByText("from:word").waitFor();
}

async function filterByRecipient(page: Page, isDrawer: boolean, isClean: () => Promise<void>): Promise<void> {
  await page.getByLabel("Search mail").fill("");
  await rowOf(page, "Sale").waitFor();
  if (isDrawer) await page.getByRole("button", { name: "Mailbox and tags" }).click();
  const recipients = page.getByRole("group", { name: "Recipients" });
  await recipients.locator(".rail-entry", { hasText: "ann@example.com" }).getByText("2").waitFor();
  await isClean();
  await recipients.getByRole("button", { name: "ann@example.com" }).click();
  await waitForSubjects(page, ["Your code", "Yesterday's report"]);
}

async function readChecks(page: Page, isClean: () => Promise<void>): Promise<void> {
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await rowOf(page, "Sale").click();
  await page.getByRole("tab", { name: "Checks" }).click();
  const client = page.getByRole("row", { name: /^Outlook \(Windows\)/ });
  await client.getByText("css-display-grid").waitFor();
  for (const notes of await page.locator("summary").all()) await notes.click();
  await isClean();
  await page.locator(".finding", { hasText: "alt text" }).getByRole("button", { name: "line 2" }).click();
  await page.locator('.source-numbered [data-line="2"]', { hasText: "<img" }).waitFor();
}

async function groupByRuns(page: Page, isClean: () => Promise<void>): Promise<void> {
  await intercept(page, /\/messages\?/, withPause);
  await page.goto(new URL("/", page.url()).href);
  await page.getByRole("button", { name: "Group by run" }).click();
  const run = page.getByRole("button", { name: /, 2 mails$/ });
  await page.getByRole("button", { name: /, 1 mail$/ }).waitFor();
  await run.click();
  await waitForSubjects(page, ["Yesterday's report"]);
  await isClean();
  await run.click();
  await page.getByRole("button", { name: "Clear this run" }).first().click();
  await waitForSubjects(page, ["Yesterday's report"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await waitForSubjects(page, ["Sale", "Your code", "Yesterday's report"]);
}

/** The oldest mail came an hour before the others. */
async function withPause(route: Route): Promise<void> {
  const response = await route.fetch();
  const list: MessageList = await response.json();
  const [oldest] = list.messages.slice(-1);
  if (oldest) oldest.id = firstUlidAt(Date.now() - 3_600_000);
  await route.fulfill({ response, json: list });
}
