// The rail: views, tags and recipients with counts. The menu of the top bar: actions on all mail.
import { beforeEach, expect, test } from "bun:test";
import { inBrowser, rowOf, waitForSubjects } from "./support/browser.ts";

inBrowser("the rail", (bench) => {
  beforeEach(async () => {
    const { mailkeep, reset } = bench();
    await reset();
    for (const subject of ["One", "Two", "Three"]) await mailkeep.send({ subject });
    const [three, two] = await mailkeep.ids();
    await mailkeep.ask("PATCH", `/messages/${two}`, { tags: ["checkout", "ci"] });
    await mailkeep.ask("PATCH", `/messages/${three}`, { tags: ["ci"], is_starred: true });
  });

  test("filters by view and by tag, with counts, and closes to show the list", async () => {
    const page = await bench().open("/", { viewport: { width: 1440, height: 900 } });
    const rail = page.getByRole("navigation", { name: "Mailbox" });
    await rail.locator(".rail-entry", { hasText: "ci" }).getByText("2").waitFor();
    await rail.getByRole("button", { name: "Starred" }).click();
    await waitForSubjects(page, ["Three"]);
    await rail.getByRole("button", { name: "All mail 3", exact: true }).click();
    await rail.getByRole("button", { name: "checkout" }).click();
    await waitForSubjects(page, ["Two"]);
    const hue = (name: string) =>
      rail.locator(".rail-entry", { hasText: name }).locator(".tag-dot").getAttribute("style");
    expect(await hue("checkout")).not.toBe(await hue("ci"));
    await page
      .getByRole("button", { name: "Remove checkout" })

      .click();
    await waitForSubjects(page, ["Three", "Two", "One"]);
    await page.getByRole("button", { name: "Mailbox and tags" }).click();
    await rail.waitFor({ state: "detached" });
  });

  test("a recipient leads to mail for that very address, not for a longer one", async () => {
    const { mailkeep, open } = bench();
    for (const to of ["ann@example.com", "mary.ann@example.com", "ann@example.com.au", "ANN@example.com"])
      await mailkeep.send({ subject: `For ${to}`, to });
    const page = await open("/", { viewport: { width: 1440, height: 900 } });
    const recipients = page.getByRole("group", { name: "Recipients" });
    await recipients.getByRole("button", { name: "ann@example.com 2", exact: true }).click();
    await waitForSubjects(page, ["For ANN@example.com", "For ann@example.com"]);
    await page.reload();
    await waitForSubjects(page, ["For ANN@example.com", "For ann@example.com"]);
    await recipients.getByRole("button", { name: "ann@example.com 2", exact: true, pressed: true }).waitFor();
    await page.getByRole("button", { name: "Remove ann@example.com" }).click();
    await rowOf(page, "For mary.ann").waitFor();
  });

  test("a page opened with a search counts the recipients of all mail", async () => {
    const page = await bench().open("/?q=Two", { viewport: { width: 1440, height: 900 } });
    await page.getByRole("group", { name: "Recipients" }).getByText("3").waitFor();
  });

  test("the recipients follow new and deleted mail, also mail that a filter hides", async () => {
    const { mailkeep, open } = bench();
    const page = await open("/?starred=true", { viewport: { width: 1440, height: 900 } });
    const recipients = page.getByRole("group", { name: "Recipients" });
    await recipients.getByText("3").waitFor();
    await mailkeep.send({ subject: "Hidden", to: "new@example.com" });
    await recipients.getByText("new@example.com").waitFor();
    await mailkeep.ask("DELETE", `/messages/${await mailkeep.idOf("Hidden")}`);
    await recipients.getByText("new@example.com").waitFor({ state: "detached" });
  });

  test("marks all as read, and deletes all that match", async () => {
    const { mailkeep, open } = bench();
    const page = await open("/?tag=ci");
    await rowOf(page, "Two").waitFor();
    const more = page.getByRole("button", { name: "More actions" });
    await more.click();
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByText("All mail that matches is marked as read").waitFor();
    const unread = await fetch(`${mailkeep.http}/api/v1/messages?unread=true`);
    expect(await unread.json()).toMatchObject({ total: 1 });
    await more.click();
    await page.getByRole("button", { name: "Delete all that match" }).click();
    await page.getByText("All mail that matches the filter (2)").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
    await page.getByText("2 mails deleted").waitFor();
    expect(await mailkeep.ids()).toHaveLength(1);
  });
});
