// Mail in the list: it arrives, is starred, tagged, deleted and brought back.
import { beforeEach, expect, test } from "bun:test";
import { inBrowser, keepUndo, rowOf, subjectsIn, waitForSubjects } from "./support/browser.ts";

inBrowser("the inbox", (bench) => {
  beforeEach(() => bench().reset());

  test("an empty mailbox shows how to send mail to the real address", async () => {
    const { open, mailkeep } = bench();
    const page = await open();
    await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
    for (const tool of ["curl", "Nodemailer", "Django", "Rails", "Laravel"]) {
      await page.getByRole("radiogroup", { name: "Tools" }).getByText(tool, { exact: true }).click();
      expect(await page.locator(".snippet-code pre").textContent()).toContain(String(mailkeep.smtp.port));
    }
  });

  test("an empty mailbox sends a sample mail, which shows what the page can do", async () => {
    const page = await bench().open();
    await page.getByText("0 mails, 0 B").waitFor();
    await page.getByRole("button", { name: "Send a sample mail" }).click();
    await page.getByText("1 mail, ").waitFor();
    await rowOf(page, "A sample mail").click();
    await page.getByRole("button", { name: "Copy code 482913" }).first().waitFor();
    await page.getByRole("list", { name: "Codes and links" }).getByRole("link").waitFor();
  });

  test("mail sent by SMTP appears without a reload, with sender, recipient, first words and title badge", async () => {
    const { open, mailkeep } = bench();
    const page = await open();
    await mailkeep.send({
      from: '"Ann Lee" <ann@example.com>',
      to: "bob@example.com",
      subject: "Hi",
      text: "First words",
    });
    const row = rowOf(page, "Hi");
    await row.waitFor();
    const text = (await row.textContent()) ?? "";
    for (const part of ["Ann Lee", "bob@example.com", "First words", "Unread"]) expect(text).toContain(part);
    await page.waitForFunction(() => document.title.startsWith("(1)"));
    await mailkeep.send({ subject: "Second" });
    await waitForSubjects(page, ["Second", "Hi"]);
  });

  test("a large mail that is listed before its event comes is counted once", async () => {
    const { open, mailkeep } = bench();
    const sent = mailkeep.send({ subject: "Large", text: "汉字".repeat(1_000_000) });
    while ((await mailkeep.ids()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const page = await open();
    await rowOf(page, "Large").waitFor();
    await sent;
    await mailkeep.send({ subject: "Second" });
    await waitForSubjects(page, ["Second", "Large"]);
    await page.waitForFunction(() => document.title.startsWith("(2)"));
  });

  test("opening a mail marks it as read here and for others", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Read me" });
    const page = await open();
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await rowOf(page, "Read me").click();
    await page.getByRole("heading", { name: "Read me" }).waitFor();
    await page.waitForFunction(
      () => !document.querySelector(".is-unread") && document.title === "Read me · Mailkeep",
    );
    await saved;
    const unread = await fetch(`${mailkeep.http}/api/v1/messages?unread=true`);
    expect(await unread.json()).toMatchObject({ total: 0 });
  });

  test("a star set in the list is kept by the server", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Shiny" });
    const page = await open();
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await rowOf(page, "Shiny").getByRole("button", { name: "Star" }).click();
    await saved;
    await page.reload();
    await rowOf(page, "Shiny").getByRole("button", { name: "Remove star" }).waitFor();
  });

  test("one tag too many is refused and does not become a filter", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Untagged" });
    const page = await open();
    await rowOf(page, "Untagged").click();
    await page.keyboard.press("t");
    await page.getByLabel("New tag").fill(Array.from({ length: 21 }, (_, n) => n).join());
    await page.keyboard.press("Enter");
    await page.locator(".toast", { hasText: "Not saved" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("group", { name: "Tags" }).count()).toBe(0);
  });

  test("a tag typed in the message shows in the list and as a filter", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Tagged" });
    await mailkeep.send({ subject: "Plain" });
    const page = await open(`/messages/${await mailkeep.idOf("Tagged")}`);
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByLabel("New tag").fill("signup");
    await page.getByRole("button", { name: "Done" }).click();
    await rowOf(page, "Tagged").getByText("signup").waitFor();
    await page.getByRole("button", { name: "signup 1" }).click();
    await waitForSubjects(page, ["Tagged"]);
    expect(new URL(page.url()).searchParams.get("tag")).toBe("signup");
    await page.keyboard.press("t");
    await page.getByRole("checkbox", { name: "signup" }).click();
    await page.locator(".message-head .tag").waitFor({ state: "detached" });
  });

  test("a deleted mail comes back with undo and is never deleted on the server", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Keep" });
    await mailkeep.send({ subject: "Oops" });
    const page = await open(`/messages/${await mailkeep.idOf("Oops")}`);
    await waitForSubjects(page, ["Oops", "Keep"]);
    await keepUndo(page);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await waitForSubjects(page, ["Keep"]);
    await page.getByRole("heading", { name: "Keep", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await waitForSubjects(page, ["Oops", "Keep"]);
    await page.getByRole("heading", { name: "Oops" }).waitFor();
    expect(await mailkeep.idOf("Oops")).toBeString();
  });

  for (const [by, path] of [
    ["one by one", (id: string) => `/${id}`],
    ["with all the others", () => ""],
  ] as const) {
    test(`a deleted mail that others delete meanwhile, ${by}, does not come back with undo`, async () => {
      const { open, mailkeep } = bench();
      await mailkeep.send({ subject: "Twice deleted" });
      const page = await open();
      await keepUndo(page);
      await rowOf(page, "Twice deleted").click();
      await page.keyboard.press("#");
      await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
      await mailkeep.ask("DELETE", `/messages${path(await mailkeep.idOf("Twice"))}`);
      await mailkeep.send({ subject: "Came later" });
      await waitForSubjects(page, ["Came later"]);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.locator(".toast", { hasText: "Cannot undo" }).waitFor();
      expect(await subjectsIn(page)).toEqual(["Came later"]);
      await page.getByText("1 · 1 unread").waitFor();
    });
  }

  test("counts leave out mails that can still be restored, also after a refetch", async () => {
    const { open, mailkeep } = bench();
    for (const subject of ["One", "Two", "Three"]) await mailkeep.send({ subject });
    const page = await open();
    await keepUndo(page);
    await rowOf(page, "Three").click({ modifiers: ["ControlOrMeta"] });
    await page.keyboard.press("#");
    await waitForSubjects(page, ["Two", "One"]);
    const counted = page.waitForResponse((response) => response.url().endsWith("/api/v1/info"));
    await mailkeep.ask("DELETE", `/messages/${await mailkeep.idOf("One")}`);
    await counted;
    await page.getByText("1 · 1 unread").waitFor();
  });

  test("leaving the page deletes mail that could still be restored", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Gone soon" });
    const page = await open();
    await keepUndo(page);
    await rowOf(page, "Gone soon").click();
    await page.keyboard.press("#");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
  });

  test("shift and ctrl select several mails, and the bar acts on all of them", async () => {
    const { open, mailkeep } = bench();
    for (const subject of ["One", "Two", "Three", "Four"]) await mailkeep.send({ subject });
    const page = await open();
    await rowOf(page, "Four").click({ modifiers: ["ControlOrMeta"] });
    await rowOf(page, "Two").click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    await rowOf(page, "Three").click({ modifiers: ["ControlOrMeta"] });
    await page.getByText("2 selected").waitFor();
    await page.locator(".bulk-bar").getByRole("button", { name: "Mark as read" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".is-unread").length === 2);
    await page.locator(".bulk-bar").getByRole("button", { name: "Delete", exact: true }).click();
    await waitForSubjects(page, ["Three", "One"]);
  });

  test("several mails are tagged at once and keep their other tags", async () => {
    const { open, mailkeep } = bench();
    for (const subject of ["One", "Two"]) await mailkeep.send({ subject });
    const page = await open();
    await rowOf(page, "One").click({ modifiers: ["ControlOrMeta"] });
    await rowOf(page, "Two").click({ modifiers: ["ControlOrMeta"] });
    for (const tag of ["a", "b"]) {
      await page.keyboard.press("t");
      await page.getByLabel("New tag").fill(tag);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.waitForFunction(() => document.querySelectorAll(".mail-row .tag").length === 4);
  });

  test("deleting all asks first, and names no count once all was deleted elsewhere", async () => {
    const { open, mailkeep, reset } = bench();
    await mailkeep.send({ subject: "Gone" });
    const page = await open();
    const ask = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Delete all mail" }).click();
    };
    await ask();
    await page.getByText("All mail (1) will be deleted").waitFor();
    await reset();
    await page.getByText("All mail will be deleted").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await mailkeep.send({ subject: "Here" });
    await waitForSubjects(page, ["Here"]);
    await ask();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await subjectsIn(page)).toEqual(["Here"]);
    await ask();
    await page.getByRole("button", { name: "Delete all", exact: true }).click();
    await page.getByRole("heading", { name: "Waiting for the first mail" }).waitFor();
  });

  test("an open mail that is deleted elsewhere says so", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Stays" });
    await mailkeep.send({ subject: "Vanishes" });
    const id = await mailkeep.idOf("Vanishes");
    const page = await open(`/messages/${id}`);
    await page.getByRole("heading", { name: "Vanishes" }).waitFor();
    await mailkeep.ask("DELETE", `/messages/${id}`);
    await page.getByRole("heading", { name: "This mail no longer exists" }).waitFor();
    await waitForSubjects(page, ["Stays"]);
  });

  test("a mail that is opened before the list comes is counted as read once", async () => {
    const { mailkeep, open, reset } = bench();
    await reset();
    for (const subject of ["one", "two", "three"]) await mailkeep.send({ subject });
    const page = await open();
    const isListed = Promise.withResolvers<void>();
    const isMarked = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/messages\?/, async (route) => {
      const response = await route.fetch();
      await isMarked.promise;
      await route.fulfill({ response });
      isListed.resolve();
    });
    await page.route(/\/api\/v1\/messages$/, async (route) => {
      isMarked.resolve();
      await isListed.promise;
      await route.continue();
    });
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("two")}`);
    await isListed.promise;
    await page.locator(".mail-row.is-opened:not(.is-unread)").waitFor();
    await page.getByText("2 unread").waitFor();
  });

  test("a list that comes late shows a mail as read that was read in the meantime", async () => {
    const { mailkeep, open, reset } = bench();
    await reset();
    for (const subject of ["one", "two", "three"]) await mailkeep.send({ subject });
    const page = await open();
    const isMarked = page
      .waitForResponse((response) => response.request().method() === "PATCH")
      .then(() => mailkeep.send({ subject: "four" }));
    await page.route(/\/api\/v1\/messages\?/, async (route) => {
      const response = await route.fetch();
      await isMarked;
      // Events come in order: once "four" is counted, the event about the read mail has come.
      await page.getByText("4 · 3 unread").waitFor();
      await route.fulfill({ response });
    });
    await page.goto(`${mailkeep.http}/messages/${await mailkeep.idOf("two")}`);
    await rowOf(page, "one").waitFor();
    await page.locator(".mail-row.is-opened:not(.is-unread)").waitFor();
  });
});
