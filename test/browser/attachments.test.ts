// Attachments that open in the page, and the tree of a message's parts.
import { beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { picture } from "../../scripts/sample/pictures.ts";
import { readZip } from "../../src/web/format/attachments.ts";
import { inBrowser } from "./support/browser.ts";

const part = (...lines: readonly string[]) => ["--b", ...lines].join("\r\n");
const PAGE = [
  "From: Ann <ann@example.com>",
  "To: bob@example.com",
  "Subject: A page inside",
  "Date: Wed, 18 Nov 2026 08:00:00 +0000",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  part("Content-Type: multipart/alternative; boundary=c", ""),
  "--c\r\n\r\nInner text",
  "--c\r\nContent-Type: text/html\r\n",
  '<p onclick="alert(1)">Inner page <img src="cid:dot@x"></p><script>document.body.remove()</script>',
  "--c--",
  part("Content-Type: image/png", "Content-ID: <dot@x>", "Content-Transfer-Encoding: base64", ""),
  picture(8, 8, [0, 90, 80], [200, 230, 220]).toString("base64"),
  part("Content-Type: text/plain", "Content-Disposition: attachment; filename=note.txt", "", "Hello"),
  part("Content-Type: message/rfc822", "Content-Disposition: attachment; filename=deep.eml", ""),
  "Subject: Deep\r\n\r\nDeep words",
  "--b--",
].join("\r\n");

inBrowser("attachments", (bench) => {
  beforeAll(() =>
    bench().mailkeep.send({
      subject: "Files",
      attachments: [
        { filename: "order.csv", content: "item,price\nsocks,5\n" },
        { filename: "data.json", content: '{"total":5}' },
        {
          filename: "invite.ics",
          contentType: "text/calendar",
          content:
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Lunch\r\nLOCATION:Room 1\r\nATTENDEE:mailto:bob@example.com\r\nEND:VEVENT\r\nEND:VCALENDAR",
        },
        {
          filename: "inner.eml",
          contentType: "message/rfc822",
          content: "From: a@example.com\r\nSubject: Inside\r\n\r\nInner words",
        },
        { filename: "page.eml", contentType: "message/rfc822", content: PAGE },
        {
          filename: "id.pem",
          contentType: "application/x-x509-ca-cert",
          content: "-----BEGIN CERTIFICATE-----",
        },
        { filename: "none.txt", content: "" },
        { filename: "broken.png", content: "no picture" },
        { filename: "größe.txt", content: "x" },
        { filename: "tool.bin", content: Buffer.from([0, 1, 2, 3]) },
        { filename: "empty.zip", content: Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1") },
      ],
    }),
  );

  test("each opens from its card", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=attachments`);
    const dialog = page.getByRole("dialog");
    for (const [name, shown] of [
      ["order.csv", "socks"],
      ["data.json", '"total"'],
      ["invite.ics", "Room 1"],
      ["inner.eml", "Inner words"],
      ["id.pem", "BEGIN CERTIFICATE"],
      ["tool.bin", "cannot be shown here"],
      ["none.txt", "This file is empty."],
      ["broken.png", "This picture cannot be shown."],
      ["page.eml", "deep.eml"],
    ] as const) {
      await page.getByRole("button", { name: `View ${name}` }).click();
      await dialog.getByText(shown).first().waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("a table keeps its first row on a phone", async () => {
    const { open, mailkeep } = bench();
    const path = `/messages/${await mailkeep.idOf("Files")}?tab=attachments`;
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "View order.csv" }).click();
    await page.getByRole("dialog").getByRole("columnheader").first().waitFor();
  });

  test("the HTML of an attached mail is shown in the sandbox, where Escape still closes the dialog", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=attachments`);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "View page.eml" }).click();
    for (const fact of ["Ann <ann@example.com>", "bob@example.com", "A page inside", /note.txt, \d B/]) {
      await dialog.getByText(fact).waitFor();
    }
    const frame = dialog.locator("iframe");
    expect(await frame.getAttribute("sandbox")).not.toContain("allow-scripts");
    const body = dialog.frameLocator("iframe").locator("body");
    await body.getByText("Inner page").waitFor();
    expect(await body.locator("script, [onclick]").count()).toBe(0);
    expect(await body.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8);
    await dialog.getByText("Text", { exact: true }).click();
    await dialog.getByText("Inner text").waitFor();
    await body.click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("all are downloaded at once, as one zip file", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=attachments`);
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download all" }).click();
    const bytes = await readFile(await (await saved).path());
    const names = readZip(new Uint8Array(bytes).buffer)?.map(({ name }) => name);
    expect(names).toHaveLength(11);
    expect(names).toContain("data.json");
  });

  test("the tree of parts leads to each part in the source, and HTML has a numbered source of its own", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=parts`);
    await page
      .locator(".part", { hasText: "order.csv" })
      .getByText("base64")
      .or(page.getByText("7bit"))
      .first()
      .waitFor();
    await page.locator(".part", { hasText: "größe.txt" }).waitFor();
    await page.locator(".part", { hasText: "invite.ics" }).getByRole("button").click();
    await page.locator(".source").waitFor();
    await page.waitForFunction(() => {
      const field = [...document.querySelectorAll(".source-field")].find((line) =>
        line.textContent?.includes("text/calendar"),
      );
      const { top = 0 } = field?.getBoundingClientRect() ?? {};
      return top > 0 && top < window.innerHeight;
    });
    await mailkeep.send({ subject: "Marked up", html: "<p>\nOne</p>" });
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("Marked up")}?tab=source`);
    await page.getByRole("radiogroup", { name: "Source" }).getByText("HTML").click();
    expect(await page.locator(".source-line").first().textContent()).toContain("<p>");
  });
});
