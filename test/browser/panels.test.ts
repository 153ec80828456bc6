// Dialogs that open from the rail: tokens, faults on purpose, refused mail. Also the relay's result on a message.
import { beforeEach, expect, test } from "bun:test";
import { freePort } from "../../scripts/postgres.ts";
import { violationsIn } from "./support/axe.ts";
import { inBrowser, openFromRail } from "./support/browser.ts";
import { startMailkeep } from "./support/mailkeep.ts";

inBrowser("a panel", (bench) => {
  beforeEach(async () => {
    await bench().reset();
    await bench().mailkeep.ask("DELETE", "/faults");
    await bench().mailkeep.send({ subject: "Hello" });
  });

  test("shows when the token of an inbox expires", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.ask("PUT", "/inboxes/ci-9", { expires: "3d" });
    const page = await open("/", { viewport: { width: 1440, height: 900 } });
    const dialog = await openFromRail(page, "Tokens");
    await dialog.getByRole("row", { name: /ci-9 .*until / }).waitFor();
    await mailkeep.ask("DELETE", "/inboxes/ci-9");
  });

  test("adds a fault, shows its hits and what it refused, and removes it", async () => {
    const { mailkeep, open } = bench();
    const page = await open("/", { viewport: { width: 1440, height: 900 } });
    const dialog = await openFromRail(page, "Faults on purpose");
    await dialog.getByText("No rules. All mail is accepted").waitFor();
    await dialog.getByLabel("Name").fill("busy");
    await dialog.getByLabel("Recipient").fill("ann@*");
    await dialog.getByLabel("Reply", { exact: true }).fill("451");
    await dialog.getByLabel("Text of the reply").fill("Try later");
    await dialog.getByLabel("Times").fill("2");
    await dialog.getByLabel("Times").press("Enter");
    await dialog.getByRole("row", { name: /busy.*0 of 2 hits/ }).waitFor();
    await expect(mailkeep.send({ to: "ann@example.com" })).rejects.toThrow("451");
    await dialog.getByRole("row", { name: /busy at rcpt, to ann@\* reply 451.* Try later 1 of 2/ }).waitFor();
    await dialog.getByLabel("Name").fill("busy");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    const said = page.locator(".toast");
    await said.getByText("Give a reply or a delay, or drop the connection.").waitFor();
    await dialog.getByLabel("Reply", { exact: true }).fill("451");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await said.getByText("Field name is used by another rule.").waitFor();
    expect(await said.count()).toBe(1);
    await dialog.getByLabel("Name").fill("free");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await dialog.getByRole("button", { name: "Remove free" }).click();
    expect(await said.count()).toBe(0);
    await dialog.getByRole("button", { name: "Remove busy" }).click();
    await dialog.getByText("No rules. All mail is accepted").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await mailkeep.send({ to: "ann@example.com" });

    const refused = await openFromRail(page, "Refused mail");
    await refused
      .getByText(/451 .*Try later/)
      .first()
      .click();
    await refused.getByText("RCPT TO:<ann@example.com>").waitFor();
  });

  test("shows the relay's result for a mail, also later", async () => {
    const target = await startMailkeep({ smtp: freePort(), http: 0 });
    const relay = await startMailkeep({ smtp: 0, http: 0 }, [
      `--relay=smtp://127.0.0.1:${target.smtp.port}`,
      "--relay-allow=*",
      "--relay-deny=boss@example.com",
    ]);
    await relay.send({ subject: "For the boss", to: "boss@example.com" });
    await relay.send({ subject: "For Ann", to: "ann@example.com" });
    const page = await bench().newPage();
    await page.goto(`${relay.http}/messages/${await relay.idOf("For Ann")}`);
    await page.locator(".pill-good", { hasText: "relayed" }).waitFor();
    await page.keyboard.press("i");
    await page.getByText("Accepted for ann@example.com.").waitFor();
    expect(await violationsIn(page)).toEqual([]);
    expect(await target.ids()).toHaveLength(1);
    await page.keyboard.press("j");
    await page.getByText("not relayed").waitFor();
    await target.stop();
    await relay.send({ subject: "Later", to: "ann@example.com" });
    await page.goto(`${relay.http}/messages/${await relay.idOf("Later")}`);
    await page.getByText("waiting for the relay").waitFor();
    const again = await startMailkeep({ smtp: target.smtp.port, http: 0 });
    await page.locator(".pill-good", { hasText: "relayed" }).waitFor();
    await again.stop();
    await relay.stop();
  });
});
