// The page that shows the API.
import { expect, test } from "bun:test";
import { operationsOf } from "../http/support/openapi.ts";
import { inBrowser } from "./support/browser.ts";

inBrowser("/docs", (bench) => {
  test("shows every operation and contacts no other server", async () => {
    const { mailkeep, newPage } = bench();
    const document = await (await fetch(`${mailkeep.http}/api/v1/openapi.json`)).json();
    const page = await newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(mailkeep.http) && !url.startsWith("data:")) complaints.push(url);
    });
    await page.goto(`${mailkeep.http}/docs`);
    await page.waitForSelector(".opblock-summary-path");
    expect(await page.locator(".opblock").count()).toBe(operationsOf(document).length);
    expect(complaints).toEqual([]);
  });
});
