// A server that goes away and comes back: the page says so, reconnects and catches up by itself.
import { expect, test } from "bun:test";
import { inBrowser, rowOf, waitForSubjects } from "./support/browser.ts";
import { startMailkeep } from "./support/mailkeep.ts";

inBrowser("a lost connection", (bench) => {
  test("is shown, mended, and followed by what was missed, without a reload", async () => {
    const first = await startMailkeep();
    await first.send({ subject: "Before" });
    const page = await bench().open();
    await page.goto(first.http);
    await rowOf(page, "Before").waitFor();
    await page.evaluate(() => {
      document.body.dataset.same = "page";
    });
    await first.stop();
    await page.locator(".live-reconnecting").waitFor();
    const port = (address: string) => Number(new URL(address).port);
    const second = await startMailkeep({ smtp: first.smtp.port, http: port(first.http) });
    await second.send({ subject: "Missed" });
    await page.locator(".live-live").waitFor();
    await waitForSubjects(page, ["Missed"]);
    await second.send({ subject: "After" });
    await waitForSubjects(page, ["After", "Missed"]);
    expect(await page.locator("body").getAttribute("data-same")).toBe("page");
    await second.stop();
  });

  test("to a page that is opened while the server is away is explained", async () => {
    const page = await bench().open();
    await page.route("**/api/v1/messages?*", (route) => route.abort());
    await page.goto(`${bench().mailkeep.http}/`);
    await page.getByRole("heading", { name: "The server does not answer" }).waitFor();
    await page.unroute("**/api/v1/messages?*");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
  });
});
