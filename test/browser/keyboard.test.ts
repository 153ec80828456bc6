// The page without a mouse.
import { beforeAll, expect, test } from "bun:test";
import { inBrowser, keepUndo, rowOf, waitForSubjects } from "./support/browser.ts";
import { intercept } from "./support/intercept.ts";
import { startMailkeep } from "./support/mailkeep.ts";

inBrowser("the keyboard", (bench) => {
  beforeAll(async () => {
    for (const subject of ["Oldest", "Middle", "Newest"]) await bench().mailkeep.send({ subject });
  });

  test("leads from the list to a message and back", async () => {
    const page = await bench().open();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "Middle" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "message-subject");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.id === "mail-list" && location.pathname === "/");
  });

  test("stars, marks as unread, searches, and goes back to all mail", async () => {
    const page = await bench().open();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await page.keyboard.press("s");
    await page.locator(".message-toolbar .is-starred").waitFor();
    await page.waitForFunction(() => !document.querySelector(".is-opened.is-unread"));
    await page.keyboard.press("u");
    await page.locator(".mail-row.is-unread", { hasText: "Newest" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("middle");
    await waitForSubjects(page, ["Middle"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await waitForSubjects(page, ["Newest", "Middle", "Oldest"]);
    expect(new URL(page.url()).search).toBe("");
  });

  test("offers no key for an action that the server does not allow", async () => {
    const server = await startMailkeep({ smtp: 0, http: 0 }, ["--no-release"]);
    await server.send({ subject: "Stays here" });
    const page = await bench().newPage();
    await page.goto(`${server.http}/messages/${await server.idOf("Stays here")}`);
    await page.getByRole("heading", { name: "Stays here" }).waitFor();
    await page.getByRole("button", { name: "Release" }).waitFor({ state: "detached" });
    await page.keyboard.press("r");
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Mark as read or unread").waitFor();
    expect(await dialog.getByText("Release").count()).toBe(0);
    await server.stop();
  });

  test("deletes with a # that takes Option to type, and leaves other keys with Alt to the browser", async () => {
    const page = await bench().open();
    await keepUndo(page);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+#");
    await waitForSubjects(page, ["Middle", "Oldest"]);
    await page.keyboard.press("z");
    await waitForSubjects(page, ["Newest", "Middle", "Oldest"]);
  });

  test("undoes a delete with z, Ctrl+Z and Cmd+Z, also with the focus in the message", async () => {
    const page = await bench().open();
    await keepUndo(page);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "message-subject");
    for (const key of ["z", "Control+z", "Meta+z"]) {
      await page.keyboard.press("#");
      await waitForSubjects(page, ["Middle", "Oldest"]);
      await page.locator("#message-subject", { hasText: "Middle" }).focus();
      await page.keyboard.press(key);
      await waitForSubjects(page, ["Newest", "Middle", "Oldest"]);
      await page.locator("#message-subject", { hasText: "Newest" }).focus();
    }
  });

  test("leaves Ctrl+Z to a field in which somebody types", async () => {
    const page = await bench().open();
    await keepUndo(page);
    await page.keyboard.press("j");
    await page.keyboard.press("#");
    await waitForSubjects(page, ["Middle", "Oldest"]);
    await page.locator("#search").focus();
    await page.keyboard.press("Control+z");
    await page.getByRole("button", { name: "Undo" }).click();
    await waitForSubjects(page, ["Newest", "Middle", "Oldest"]);
  });

  test("leaves Enter to an input method that is choosing a word", async () => {
    const { open, mailkeep } = bench();
    const page = await open(`/messages/${await mailkeep.idOf("Middle")}`);
    const devtools = await page.context().newCDPSession(page);
    const field = page.getByLabel("Search mail");
    await field.focus();
    await devtools.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    for (const key of ["ArrowDown", "Enter"]) {
      await devtools.send("Input.dispatchKeyEvent", {
        type: "rawKeyDown",
        key,
        code: key,
        windowsVirtualKeyCode: 229,
      });
    }
    expect(await field.inputValue()).toBe("にほん");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await devtools.send("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
    await devtools.detach();
  });

  test("leaves the focus on a button of the toolbar that leads to another message", async () => {
    const page = await bench().open();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    const next = page.getByRole("button", { name: "Next mail" });
    await next.focus();
    for (const subject of ["Middle", "Oldest", "Oldest"]) {
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: subject }).waitFor();
      expect(await next.evaluate((button) => button === document.activeElement)).toBe(true);
    }
  });

  test("keeps the focus in the message after moving, deleting and undo, and moves it to the list when the mail is gone", async () => {
    const page = await bench().open();
    const isOnSubject = (subject: string) =>
      page.waitForFunction(
        (wanted) =>
          document.activeElement?.id === "message-subject" && document.activeElement.textContent === wanted,
        subject,
      );
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await isOnSubject("Newest");
    await page.keyboard.press("j");
    await isOnSubject("Middle");
    await page.keyboard.press("#");
    await isOnSubject("Oldest");
    await page.keyboard.press("z");
    await isOnSubject("Middle");
    await bench().mailkeep.send({ subject: "Passing" });
    await page.locator(".mail-row", { hasText: "Passing" }).waitFor();
    for (const subject of ["Newest", "Passing"]) {
      await page.keyboard.press("k");
      await isOnSubject(subject);
    }
    const id = await bench().mailkeep.idOf("Passing");
    await bench().mailkeep.ask("DELETE", `/messages/${id}`);
    await page.waitForFunction(() => document.activeElement?.id === "mail-list");
  });

  test("scrolls a long message with Space, Page Down and Page Up", async () => {
    const text = Array.from({ length: 200 }, (_, line) => `Line ${line}`).join("\n");
    await bench().mailkeep.send({ subject: "Long", text });
    const id = await bench().mailkeep.idOf("Long");
    const page = await bench().open();
    const scrolled = () => page.locator("#tab-panel").evaluate(({ scrollTop }) => scrollTop);
    const isAt = (top: number) =>
      page.waitForFunction((top) => document.getElementById("tab-panel")?.scrollTop === top, top);
    for (const opening of ["j", "Enter"]) {
      await page.keyboard.press(opening);
      await page.locator(".text-view", { hasText: "Line 199" }).waitFor();
      for (const [forward, backward] of [
        ["Space", "Shift+Space"],
        ["PageDown", "PageUp"],
      ] as const) {
        await page.keyboard.press(forward);
        await page.waitForFunction(() => (document.getElementById("tab-panel")?.scrollTop ?? 0) > 100);
        const first = await scrolled();
        await page.keyboard.press(forward);
        await isAt(2 * first);
        await page.keyboard.press(backward);
        await page.keyboard.press(backward);
        await isAt(0);
      }
    }
    await bench().mailkeep.ask("DELETE", `/messages/${id}`);
  });

  test("scrolls an HTML mail, and still works after a click into it", async () => {
    const { mailkeep, open } = bench();
    const html = `<p>Top</p>${"<p>Line</p>".repeat(200)}`;
    await mailkeep.send({ subject: "Marked up", html });
    const id = await mailkeep.idOf("Marked up");
    const page = await open(`/messages/${id}`);
    const body = page.frameLocator("iframe.html-frame");
    const isAt = async (isThere: (top: number) => boolean) => {
      const scrolled = () => body.locator("html").evaluate(({ scrollTop }) => scrollTop);
      for (let top = await scrolled(); !isThere(top); top = await scrolled()) await Bun.sleep(10);
    };
    await body.getByText("Top").waitFor();
    await page.locator("#mail-list").focus();
    await page.keyboard.press("Space");
    await isAt((top) => top > 100);
    await page.keyboard.press("Shift+Space");
    await isAt((top) => top === 0);
    await body.getByText("Top").click();
    await page.keyboard.press("s");
    await page.locator(".message-toolbar .is-starred").waitFor();
    await page.keyboard.press("ArrowDown");
    await isAt((top) => top > 0);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await mailkeep.ask("DELETE", `/messages/${id}`);
  });

  test("works after a click into an HTML mail that still waits for a picture", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Slow", html: '<p>Top</p><img src="https://pictures.example/slow.png">' });
    const id = await mailkeep.idOf("Slow");
    const page = await open(`/messages/${id}`);
    const body = page.frameLocator("iframe.html-frame");
    await intercept(page, "https://pictures.example/*", () => {});
    await page.getByRole("button", { name: "Load once" }).click();
    await body.locator("img[src]").waitFor({ state: "attached" });
    await body.getByText("Top").click();
    await page.keyboard.press("s");
    await page.locator(".message-toolbar .is-starred").waitFor();
    await mailkeep.ask("DELETE", `/messages/${id}`);
  });

  test("goes on from a clicked mail, and the focus ring and Enter follow the cursor", async () => {
    const page = await bench().open();
    await rowOf(page, "Newest").click();
    await page.getByRole("heading", { name: "Newest" }).waitFor();
    await rowOf(page, "Oldest").getByRole("button", { name: "Star" }).click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("mail-list");
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Middle" }).waitFor();
    const outlined = page.locator(".mail-list *").filter({ visible: true });
    const rings = await outlined.evaluateAll((parts) =>
      parts.filter((part) => getComputedStyle(part).outlineStyle === "solid").map(({ id }) => id),
    );
    expect(rings).toEqual([`row-${await bench().mailkeep.idOf("Middle")}`]);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "message-subject");
    expect(await page.locator("#message-subject").textContent()).toBe("Middle");
    await rowOf(page, "Oldest").getByRole("button", { name: "Remove star" }).click();
  });

  test("moves the focus to the list when the pressed button is gone", async () => {
    const page = await bench().open();
    await keepUndo(page);
    const isOnList = () => page.waitForFunction(() => document.activeElement?.id === "mail-list");
    for (const button of ["Clear selection", "Delete", "Undo"]) {
      if (button !== "Undo")
        await page
          .locator(".mail-link")
          .first()
          .click({ modifiers: ["ControlOrMeta"] });
      const place = page.locator(".bulk-bar, .toasts");
      await place.getByRole("button", { name: button, exact: true }).focus();
      await page.keyboard.press("Enter");
      await isOnList();
    }
    await waitForSubjects(page, ["Newest", "Middle", "Oldest"]);
  });

  test("shows the focus of a list in which no mail was opened yet", async () => {
    const page = await bench().open();
    const outline = () => page.locator("#mail-list").evaluate((list) => getComputedStyle(list).outlineStyle);
    await page.getByRole("separator").focus();
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("mail-list");
    expect(await outline()).toBe("solid");
    await page.keyboard.press("j");
    await page.locator(".mail-row.is-cursor").waitFor();
    expect(await outline()).toBe("none");
  });

  test("shows the focus of an opened row on all its sides", async () => {
    const page = await bench().open();
    await page.keyboard.press("j");
    await page.keyboard.press("Escape");
    const row = page.locator(".mail-list:focus-visible .is-cursor");
    const outline = await row.evaluate((row) => {
      const { outlineWidth, outlineOffset } = getComputedStyle(row);
      return Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
    });
    // An outline outside of the row is cut off by the list.
    expect(outline).toBe(0);
  });

  test("closes the menu with Escape before the mail behind it", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Behind the menu" });
    const page = await open(`/messages/${await mailkeep.idOf("Behind")}`);
    const more = page.getByRole("button", { name: "More actions" });
    await more.click();
    await page.getByRole("button", { name: "More actions", expanded: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More actions", expanded: false }).waitFor();
    expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole("heading", { name: "Behind the menu" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Select a mail to read it").waitFor();
  });

  test("changes the width of the list with the arrow keys", async () => {
    const page = await bench().open();
    const splitter = page.getByRole("separator");
    await splitter.focus();
    await page.keyboard.press("ArrowRight");
    expect(await splitter.getAttribute("aria-valuenow")).toBe("444");
    await page.reload();
    expect(await splitter.getAttribute("aria-valuenow")).toBe("444");
  });

  test("leaves room for the mail next to a list made as wide as possible, also after a reload", async () => {
    const page = await bench().open();
    const splitter = page.getByRole("separator");
    const room = () => page.locator(".message-pane").evaluate((pane) => pane.clientWidth);
    await splitter.focus();
    for (let press = 0; press < 30; press++) await page.keyboard.press("ArrowRight");
    expect(await splitter.getAttribute("aria-valuenow")).toBe("720");
    expect(await splitter.getAttribute("aria-valuemax")).toBe("720");
    expect(await room()).toBe(360);
    await page.evaluate(() => localStorage.setItem("mailkeep.list-width", "1100"));
    await page.reload();
    expect(await splitter.getAttribute("aria-valuenow")).toBe("720");
    expect(await room()).toBe(360);
  });
});
