// A single request fails while the connection is fine: the page recovers by itself.
import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser, rowOf, waitForSubjects } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";
import { intercept } from "./support/intercept.ts";

inBrowser("a request that failed", (bench) => {
  beforeEach(() => bench().reset());

  test("for the first page of the list is repeated, also with a filter", async () => {
    const { mailkeep, newPage } = bench();
    await floodBySmtp(mailkeep.smtp, 300);
    const page = await newPage();
    const isDown = await breakRequests(page, /\/messages\?/);
    await page.goto(mailkeep.http);
    const notice = page.locator(".list-pane .notice", { hasText: "This page tries again by itself." });
    await notice.waitFor();
    const banner = page.getByText("Some requests failed.");
    await banner.waitFor();
    await mailkeep.send({ subject: "Fresh" });
    await page.getByText("301 · 301 unread").waitFor();
    expect(await page.locator(".mail-row .subject").count()).toBe(0);
    isDown.value = false;
    await rowOf(page, "Fresh").waitFor();
    await banner.waitFor({ state: "detached" });
    expect(await page.locator("#mail-list").getAttribute("aria-rowcount")).toBe("301");
    isDown.value = true;
    await page.getByRole("button", { name: "Unread" }).click();
    await notice.waitFor();
    expect(await page.locator(".list-count").textContent()).toBe("");
    isDown.value = false;
    await page.getByText("301 hits").waitFor();
  });

  test("for a later page of the list is repeated", async () => {
    const { mailkeep, open } = bench();
    await floodBySmtp(mailkeep.smtp, 600);
    const page = await open();
    const isDown = await breakRequests(page, /\/messages\?/);
    await page.locator("#mail-list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.locator(".mail-row.skeleton").first().waitFor();
    await page.getByText("Some requests failed.").waitFor();
    isDown.value = false;
    await page.locator(".mail-row .subject", { hasText: /^Mail 1$/ }).waitFor();
    await page.locator(".mail-row.skeleton").first().waitFor({ state: "detached" });
  });

  test("for the counts leaves them out until they are known", async () => {
    const { mailkeep, newPage } = bench();
    for (const subject of ["One", "Two"]) await mailkeep.send({ subject });
    const page = await newPage();
    const isDown = await breakRequests(page, /\/info/);
    await page.goto(mailkeep.http);
    await page.locator("html[data-live=live]").waitFor();
    await rowOf(page, "Two").waitFor();
    await mailkeep.send({ subject: "Three" });
    await waitForSubjects(page, ["Three", "Two", "One"]);
    expect(await page.locator(".list-count").textContent()).toBe("");
    expect(await page.title()).toBe("Mailkeep");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete all mail" }).click();
    await page.getByText("All mail will be deleted").waitFor();
    isDown.value = false;
    await page.getByText("All mail (3) will be deleted").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("3 · 3 unread").waitFor();
    await page.locator(".smtp-address", { hasText: String(mailkeep.smtp.port) }).waitFor();
  });

  test("for the server's address leaves it out of the empty page until it is known", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage();
    const isDown = await breakRequests(page, /\/info/);
    await page.goto(mailkeep.http);
    await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
    expect(await page.locator(".empty-inbox code").count()).toBe(0);
    isDown.value = false;
    await page
      .locator(".empty-inbox code", { hasText: String(mailkeep.smtp.port) })
      .first()
      .waitFor();
  });

  test("because a proxy asks for a login, or refuses it, is explained", async () => {
    const { mailkeep, open } = bench();
    for (const subject of ["Guarded", "Forbidden"]) await mailkeep.send({ subject });
    const page = await open();
    const login = /\/api\/v1\/messages/;
    await intercept(page, login, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><h1>Log in</h1>" }),
    );
    await rowOf(page, "Guarded").click();
    await page
      .getByText("The answer did not come from Mailkeep. A proxy may want you to log in again.")
      .waitFor();
    await page.unroute(login);
    await page.getByRole("heading", { name: "Guarded" }).waitFor();
    await intercept(page, /\/messages\/[0-9A-Z]{26}\?/, (route) =>
      route.fulfill({ status: 403, json: { error: { message: "Forbidden" } } }),
    );
    await rowOf(page, "Forbidden").click();
    await page.getByText("The server answered 403.").waitFor();
  });

  test("for a message leaves a way back to the list on a phone", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Held back" });
    const page = await open("/", { viewport: { width: 390, height: 740 } });
    await breakRequests(page, /\/messages\/[0-9A-Z]{26}\?/);
    await rowOf(page, "Held back").click();
    await page.getByText("The mail could not be loaded").waitFor();
    await page.getByRole("button", { name: "Back to the list" }).click();
    await rowOf(page, "Held back").waitFor();
  });

  test("for the header fields of a message is repeated", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Opened", bcc: "hidden@example.com" });
    const page = await open();
    const isDown = await breakRequests(page, /\/headers/);
    await rowOf(page, "Opened").click();
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.locator(".view-empty", { hasText: "This page tries again by itself." }).waitFor();
    isDown.value = false;
    await page.locator(".table").waitFor();
    await page.getByText("envelope differs").waitFor();
  });
});

/** Requests to this address fail while `value` of the returned object is true. */
async function breakRequests(page: Page, address: RegExp): Promise<{ value: boolean }> {
  const isDown = { value: true };
  await intercept(page, address, (route) =>
    isDown.value ? route.abort("connectionreset") : route.continue(),
  );
  return isDown;
}
