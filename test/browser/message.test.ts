// The page of one message: its tabs, its attachments, its preview and what it blocks.
import { beforeAll, expect, test } from "bun:test";
import { pdf, picture } from "../../scripts/sample/pictures.ts";
import { inBrowser } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";
import { startMailkeep } from "./support/mailkeep.ts";

inBrowser("a message", (bench) => {
  beforeAll(async () => {
    await bench().mailkeep.send({
      from: '"Shop, Inc." <shop@example.com>',
      envelope: { from: "bounce@example.com", to: ["ann@example.com", "hidden@example.com"] },
      to: '"Ann" <ann@example.com>',
      subject: "Everything",
      text: "",
      html: `<h1>Hi</h1><a href="http://shop.example/a">plain</a><a href="https://localhost:3000/">local</a><img src="cid:logo">`,
      headers: { "X-Campaign": "autumn", "Authentication-Results": "mx.example.com; spf=pass; dkim=fail" },
      attachments: [
        { filename: "logo.png", cid: "logo", content: picture(8, 8, [0, 90, 80], [200, 230, 220]) },
        { filename: "invoice.pdf", content: pdf(["Invoice"]) },
        { filename: "scan.pdf", content: pdf(["Scan"]), contentType: "application/octet-stream" },
        { filename: "large.bin", content: Buffer.alloc(400_000, 1) },
      ],
    });
  });

  const openTab = async (tab: string) =>
    bench().open(`/messages/${await bench().mailkeep.idOf("Everything")}?tab=${tab}`);

  test("names sender and recipients, also those that are only in the envelope", async () => {
    const page = await openTab("html");
    await page.locator(".head-people", { hasText: "envelope differs" }).click();
    const people = page.locator(".message-head .facts");
    await people.getByText("hidden@example.com").waitFor();
    const text = (await people.textContent()) ?? "";
    expect(text).toContain("Shop, Inc.");
    expect(text).toContain("Bcc hidden@example.comonly in the envelope");
    expect(text).toContain("Envelope from bounce@example.com");
  });

  test("without From names the sender of the envelope", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      raw: "Subject: Nameless\r\nTo: ann@example.com\r\n\r\nHello.\r\n",
      envelope: { from: "nobody@example.com", to: ["ann@example.com"] },
    });
    const page = await open(`/messages/${await mailkeep.idOf("Nameless")}`);
    await page.keyboard.press("i");
    const first = page.locator(".facts > div", { hasText: "no From in the header" });
    await first.waitFor();
    expect(await first.textContent()).toStartWith("Envelope from nobody@example.com");
  });

  test("shows its HTML with inline pictures at the width of a phone", async () => {
    const page = await openTab("html");
    const image = page.frameLocator("iframe.html-frame").locator("img");
    await image.waitFor();
    expect(
      await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth)),
    ).toBe(8);
    await page.getByTitle("Phone, 375").click();
    expect((await page.locator("iframe.html-frame").boundingBox())?.width).toBe(375);
  });

  test("shows the beginning of a large source first, then all of it", async () => {
    const page = await openTab("source");
    await page.getByText("This is only the beginning").waitFor();
    expect(await page.locator(".source-field b").first().textContent()).toEndWith(":");
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText("This is only the beginning").waitFor({ state: "detached" });
    expect((await page.locator(".source").textContent())?.length).toBeGreaterThan(500_000);
  });

  test("copies all of its source, also while only the beginning is shown", async () => {
    const { open, mailkeep } = bench();
    const id = await mailkeep.idOf("Everything");
    const page = await open(`/messages/${id}?tab=source`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByText("This is only the beginning").waitFor();
    await page.getByRole("button", { name: "Copy source" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const raw = await (await fetch(`${mailkeep.http}/api/v1/messages/${id}/raw`)).text();
    expect(copied.replaceAll("\r\n", "\n") === raw.replaceAll("\r\n", "\n")).toBe(true);
  });

  test("leaves the focus in the search when its source has been copied", async () => {
    const { newPage, mailkeep } = bench();
    const page = await newPage();
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("Everything")}?tab=source`);
    await page.getByText("This is only the beginning").waitFor();
    const answered = Promise.withResolvers<void>();
    await intercept(page, "**/raw", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Copy source" }).click();
    await page.getByLabel("Search mail").pressSequentially("ab");
    answered.resolve();
    await page.getByRole("button", { name: "Copied" }).or(page.locator(".toast")).waitFor();
    await page.keyboard.type("c");
    expect(await page.getByLabel("Search mail").inputValue()).toBe("abc");
  });

  test("opens pictures and PDF files in a viewer and offers every attachment for download", async () => {
    const page = await openTab("attachments");
    await page.getByRole("button", { name: "View logo.png" }).click();
    const picture = page.locator(".viewer-image");
    await picture.waitFor();
    expect(
      await picture.evaluate((element: HTMLImageElement) =>
        element.decode().then(() => element.naturalWidth),
      ),
    ).toBe(8);
    await page.keyboard.press("Escape");
    const setViewer = (value: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(navigator, "pdfViewerEnabled", { value, configurable: true });
      }, value);
    await setViewer(false);
    await page.getByRole("button", { name: "View scan.pdf" }).click();
    await page.getByText("This browser cannot show PDF files.").waitFor();
    await page.keyboard.press("Escape");
    await setViewer(true);
    for (const name of ["invoice.pdf", "scan.pdf"]) {
      await page.getByRole("button", { name: `View ${name}` }).click();
      expect(await page.locator(".viewer-frame").getAttribute("src")).toStartWith("blob:");
      await page.keyboard.press("Escape");
    }
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download large.bin" }).click();
    expect((await download).suggestedFilename()).toBe("large.bin");
  });

  test("explains that a PDF file is gone", async () => {
    const page = await openTab("attachments");
    const gone = { error: "It is gone.", code: "unknown_message" };
    await intercept(page, "**/attachments/*", (route) => route.fulfill({ status: 404, json: gone }));
    await page.getByRole("button", { name: "View invoice.pdf" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText(gone.error).waitFor();
    expect(await page.getByRole("dialog").getByLabel("Loading").count()).toBe(0);
    expect(await page.locator(".viewer-frame").count()).toBe(0);
  });

  test("without a body opens with its attachments", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      subject: "Only a file",
      text: "",
      attachments: [{ filename: "a.txt", content: "x" }],
    });
    const page = await open(`/messages/${await mailkeep.idOf("Only a file")}`);
    await page.getByRole("tab", { name: "Attachments", selected: true }).waitFor();
    await page.getByRole("link", { name: "Download a.txt" }).waitFor();
  });

  test("opens a picture from anywhere on its card, and shows a symbol for a broken one", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      subject: "Broken picture",
      attachments: [
        { filename: "broken.png", content: "no picture" },
        { filename: `${"long name ".repeat(9)}.png`, content: "nor this" },
      ],
    });
    const page = await open(`/messages/${await mailkeep.idOf("Broken picture")}?tab=attachments`);
    const card = page.locator(".attachment", { hasText: "broken.png" });
    await card.locator(".attachment-kind", { hasText: "PNG" }).waitFor();
    const [outside, face] = [await card.boundingBox(), await card.locator(".attachment-face").boundingBox()];
    expect((face?.y ?? 0) - (outside?.y ?? 0)).toBeLessThanOrEqual(1);
    const { x = 0, y = 0, height = 0 } = outside ?? {};
    await page.mouse.click(x + 20, y + height - 20);
    const viewer = page.getByRole("dialog", { name: "broken.png" });
    await viewer.getByText("This picture cannot be shown.").waitFor();
    await page.keyboard.press("Escape");
  });

  test("is checked: the tab counts what was found, and a finding leads to its line of the HTML", async () => {
    const page = await openTab("checks");
    const view = page.locator(".checks-view");
    await view.getByText("Accessibility fail").waitFor();
    expect(Number(await page.locator(".tab-checks .tab-count").textContent())).toBeGreaterThan(2);
    await view.locator(".finding", { hasText: "leads to localhost" }).waitFor();
    await view.locator(".finding", { hasText: "alt" }).getByRole("button", { name: "line 1" }).click();
    await page.locator('.source-line[data-line="1"]', { hasText: "<h1>Hi</h1>" }).waitFor();
  });

  test("shows the SMTP session that brought it, or says that there is none", async () => {
    const { open, mailkeep } = bench();
    const page = await openTab("checks");
    await page.keyboard.press("8");
    const panel = page.getByRole("tabpanel", { name: "Transcript" });
    await panel.getByText("Sent from 127.0.0.1, without TLS").waitFor();
    const row = panel.getByRole("row", {
      name: /^\d\d:\d\d:\d\d\.\d{3} Client RCPT TO:<hidden@example.com>/,
    });
    await row.waitFor();
    const mail = { from: "shop@example.com", to: ["ann@example.com"], subject: "Composed", text: "Hi" };
    await mailkeep.ask("POST", "/send", mail);
    await open(`/messages/${await mailkeep.idOf("Composed")}?tab=transcript`);
    await panel.getByText("this mail did not come by SMTP").waitFor();
  });

  test("is released to a real server, whose answer is shown", async () => {
    const target = await startMailkeep();
    const page = await openTab("html");
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByLabel("Host").fill(target.smtp.host);
    await page.getByLabel("Port").fill(String(target.smtp.port));
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
    await page.getByText("Accepted for ann@example.com, hidden@example.com").waitFor();
    expect(await target.idOf("Everything")).toBeString();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByLabel("Port").fill("1");
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
    await page.locator(".toast-danger").waitFor();
    await target.stop();
  });
});
