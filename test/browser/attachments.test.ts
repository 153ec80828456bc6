// Attachments that open in the page, and the tree of a message's parts.
import { beforeAll, expect, test } from "bun:test";
import { inBrowser } from "./support/browser.ts";

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
        { filename: "empty.zip", content: Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1") },
      ],
    }),
  );

  for (const [name, shown] of [
    ["order.csv", "socks"],
    ["data.json", '"total"'],
    ["invite.ics", "Room 1"],
    ["inner.eml", "Inner words"],
  ] as const) {
    test(`${name} opens from its card`, async () => {
      const { open, mailkeep } = bench();
      const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=attachments`);
      await page.getByRole("button", { name: `View ${name}` }).click();
      await page.getByRole("dialog").getByText(shown).first().waitFor();
      await page.keyboard.press("Escape");
    });
  }

  test("all are downloaded at once", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Files")}?tab=attachments`);
    const names = new Set<string>();
    page.on("download", (file) => names.add(file.suggestedFilename()));
    await page.getByRole("button", { name: "Download all" }).click();
    while (names.size < 5) await page.waitForEvent("download");
    expect([...names].sort()[0]).toBe("data.json");
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
