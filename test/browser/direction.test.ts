// Text from right to left, and control characters that fake it.
import { beforeAll, expect, test } from "bun:test";
import { inBrowser, rowOf } from "./support/browser.ts";

const RLO = "\u202e";
const FORGED = `Invoice ${RLO}fdp.exe`;
const ARABIC = "استفسار حول الطلب";

inBrowser("the direction of text", (bench) => {
  beforeAll(async () => {
    const { mailkeep } = bench();
    await mailkeep.send({
      subject: FORGED,
      from: { name: `Bank${RLO}moc`, address: "app@example.com" },
      text: `Open ${RLO}fdp.exe`,
      attachments: [{ filename: `report${RLO}fdp.exe`, content: "x" }],
    });
    await mailkeep.send({ subject: ARABIC, text: "مرحبا\nHello" });
  });

  test("is not changed by controls in the list: their names are shown instead", async () => {
    const page = await bench().open();
    const row = rowOf(page, "Invoice");
    expect(await row.locator(".subject").textContent()).toBe("Invoice RLOfdp.exe");
    expect(await row.locator(".sender").textContent()).toBe("BankRLOmoc");
    expect(await row.locator(".snippet").textContent()).toContain("Open RLOfdp.exe");
    expect(await page.content()).not.toContain(RLO);
  });

  test("is not changed by controls in the message, in any tab", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Invoice")}`);
    await page.getByText("BankRLOmoc").first().waitFor();
    expect(await page.getByRole("heading", { level: 2, name: "Invoice" }).last().textContent()).toBe(
      "Invoice RLOfdp.exe",
    );
    await page.waitForFunction(() => document.title.includes("Invoice [RLO]fdp.exe"));
    for (const tab of ["Text", "Headers", "Source", "Attachments", "Checks"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).locator(":scope > *").first().waitFor();
      expect(await page.content()).not.toContain(RLO);
    }
  });

  test("leaves the beginning of an Arabic subject next to the buttons of its row", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: `مرحبا ${ARABIC}`.repeat(9) });
    const page = await open();
    const row = rowOf(page, ARABIC).first();
    await row.hover();
    const [subject, buttons] = [row.locator(".subject"), row.locator(".row-actions")];
    const { x = 0, width = 0 } = (await subject.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual((await buttons.boundingBox())?.x ?? 0);
  });

  test("follows the text: an Arabic subject runs to the left, and each line of a body its own way", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf(ARABIC)}`);
    await page.locator(".text-part").waitFor();
    const direction = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).direction);
    expect(await direction(".message-subject")).toBe("rtl");
    expect(await direction(".is-opened .subject")).toBe("rtl");
    const places = await page.locator(".text-part").evaluate((element) => {
      const text = element.firstChild as Text;
      const range = document.createRange();
      return [0, 6].map((start) => {
        range.setStart(text, start);
        range.setEnd(text, start + 5);
        return range.getBoundingClientRect().left;
      });
    });
    expect(places[0]).toBeGreaterThan((places[1] ?? 0) + 100);
  });
});
