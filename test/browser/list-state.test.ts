// The list shows what the server has. A change by a person shows at once, and is taken back if the
// server refuses it.
import { beforeEach, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { inBrowser, keepUndo, rowOf, subjectsIn, waitForSubjects } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";
import { intercept } from "./support/intercept.ts";

inBrowser("the state of the list", (bench) => {
  beforeEach(async () => {
    await bench().reset();
    for (const subject of ["One", "Two"]) await bench().mailkeep.send({ subject });
  });

  test("mails opened in the Unread view stay there, for the keyboard too, until the view is left", async () => {
    const page = await bench().open("/?unread=true");
    const opened = (subject: string) => page.getByRole("heading", { name: subject }).waitFor();
    await page.keyboard.press("j");
    await opened("Two");
    await page.getByText("1 hit").waitFor();
    await page.keyboard.press("j");
    await opened("One");
    await page.getByText("0 hits").waitFor();
    expect(await subjectsIn(page)).toEqual(["Two", "One"]);
    await page.keyboard.press("k");
    await opened("Two");
    await bench().mailkeep.send({ subject: "Three" });
    await waitForSubjects(page, ["Three", "Two", "One"]);
    const starred = page.getByRole("button", { name: "Starred", exact: true });
    await starred.click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await starred.click();
    await waitForSubjects(page, ["Three"]);
  });

  test("a mail read in the Unread view is there again after its deletion was undone", async () => {
    const page = await bench().open("/?unread=true");
    await keepUndo(page);
    await page.keyboard.press("j");
    await page.getByText("1 hit").waitFor();
    await page.keyboard.press("#");
    await page.getByText("0 hits").waitFor();
    await page.keyboard.press("z");
    await waitForSubjects(page, ["Two", "One"]);
  });

  test("mail with the same X-Mailkeep-Run is grouped, in the list and for the keyboard", async () => {
    const { mailkeep, open } = bench();
    const inRun = (name: string, subject: string) =>
      mailkeep.send({ subject, headers: { "X-Mailkeep-Run": name } });
    const page = await open();
    await page.getByRole("button", { name: "Group by run" }).click();
    await inRun("a", "A1");
    await inRun("b", "B1");
    await inRun("a", "A2");
    await waitForSubjects(page, ["A2", "A1", "B1", "Two", "One"]);
    await page.getByRole("button", { name: /^a .*, 2 mails$/ }).waitFor();
    for (const subject of ["A2", "A1", "B1"]) {
      await page.keyboard.press("j");
      await page.getByRole("heading", { name: subject }).waitFor();
    }
    await page.getByRole("button", { name: /^b .*, 1 mail$/ }).click();
    await waitForSubjects(page, ["A2", "A1", "Two", "One"]);
    await page.reload();
    await waitForSubjects(page, ["A2", "A1", "B1", "Two", "One"]);
  });

  test("a long name of a run is cut, and its time and count stay in sight", async () => {
    const { mailkeep, open } = bench();
    await mailkeep.send({ subject: "Long", headers: { "X-Mailkeep-Run": "n".repeat(170) } });
    const page = await open();
    await page.getByRole("button", { name: "Group by run" }).click();
    const heading = page.locator(".run-row", { hasText: "nnn" });
    const right = async (place: Locator) => {
      const box = await place.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    const trash = await heading.getByRole("button", { name: "Delete this run" }).boundingBox();
    expect(await right(heading.getByText("1 mail"))).toBeLessThan(trash?.x ?? 0);
  });

  test("a run that is loaded in part is deleted as a whole", async () => {
    const { mailkeep, open } = bench();
    await floodBySmtp(mailkeep.smtp, 350);
    await mailkeep.send({ subject: "Named", headers: { "X-Mailkeep-Run": "a" } });
    const page = await open();
    await page.getByRole("button", { name: "Group by run" }).click();
    await page.getByRole("button", { name: /^(?!a ).* and earlier$/ }).waitFor();
    await page.getByRole("button", { name: "Delete this run" }).last().click();
    await page.getByRole("button", { name: "Delete 352 mails" }).click();
    await waitForSubjects(page, ["Named"]);
  });

  test("a named run that is loaded in part is deleted as a whole, and a run with a longer name is not", async () => {
    const { mailkeep, open } = bench();
    const inRun = (name: string) => mailkeep.send({ headers: { "X-Mailkeep-Run": name } });
    await inRun("night 1");
    await inRun("night 12");
    await floodBySmtp(mailkeep.smtp, 150);
    await inRun("night 1");
    const page = await open();
    await page.getByRole("button", { name: "Group by run" }).click();
    await page.getByRole("button", { name: /^night 1 .* and earlier$/ }).waitFor();
    await page.getByRole("button", { name: "Delete this run" }).first().click();
    await page.getByRole("button", { name: "Delete 2 mails" }).click();
    await page.getByRole("button", { name: /^night 1 / }).waitFor({ state: "detached" });
  });

  test("a skipped event number fetches the list again", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage();
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!String(message).includes("Lost")) socket.send(message);
      });
    });
    await page.goto(mailkeep.http);
    await page.locator("html[data-live=live]").waitFor();
    // A page that had to start without knowing the last number learns it from this mail.
    await mailkeep.send({ subject: "Three" });
    await waitForSubjects(page, ["Three", "Two", "One"]);
    await mailkeep.send({ subject: "Lost" });
    await mailkeep.send({ subject: "Heard" });
    await waitForSubjects(page, ["Heard", "Lost", "Three", "Two", "One"]);
    await page.getByText("5 · 5 unread").waitFor();
  });

  test("a read mail leaves the Unread view if it was deleted while events were missed", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage();
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!String(message).includes("message:delete")) socket.send(message);
      });
    });
    await page.goto(`${mailkeep.http}/?unread=true`);
    await waitForSubjects(page, ["Two", "One"]);
    // A mail that is left before it is loaded stays unread.
    for (const hits of ["1 hit", "0 hits"]) {
      await page.keyboard.press("j");
      await page.getByText(hits).waitFor();
    }
    await mailkeep.ask("DELETE", `/messages/${await mailkeep.idOf("Two")}`);
    await mailkeep.send({ subject: "Three" });
    await waitForSubjects(page, ["Three", "One"]);
  });

  for (const width of [1280, 390]) {
    test(`selecting mails moves no row, ${width} pixels wide`, async () => {
      const { mailkeep, open } = bench();
      for (const subject of ["Three", "Four"]) await mailkeep.send({ subject });
      const page = await open("/?unread=true", { viewport: { width, height: 800 } });
      const top = async () => (await rowOf(page, "Four").boundingBox())?.y;
      const before = await top();
      for (const [index, subject] of ["One", "Two", "Three", "Four"].entries()) {
        await rowOf(page, subject).getByRole("checkbox").click();
        await page.getByText(`${index + 1} selected`).waitFor();
        expect(await top()).toBe(before);
      }
      const bar = page.getByRole("toolbar", { name: "Selected mail" });
      expect(await bar.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    });
  }

  test("a change shows at once, and only a refused change is taken back", async () => {
    const page = await bench().open();
    const answered = Promise.withResolvers<void>();
    await intercept(page, /\/messages$/, async (route) => {
      await answered.promise;
      if (/starred/.test(route.request().postData() ?? "")) {
        await route.fulfill({ status: 507, json: { error: "The disk is full.", code: "disk_full" } });
      } else await route.continue();
    });
    await page.keyboard.press("j");
    await page.keyboard.press("s");
    await page.locator(".mail-row:has(.is-starred):not(.is-unread)").waitFor();
    answered.resolve();
    await page.locator(".toast", { hasText: "Not saved: The disk is full." }).waitFor();
    await page.locator(".mail-row.is-opened:not(:has(.is-starred), .is-unread)").waitFor();
    await page.waitForFunction(() => document.title.startsWith("(1)"));
  });

  test("the first requests are sent once", async () => {
    const { mailkeep, newPage } = bench();
    const page = await newPage();
    // The page waits 500 ms for the server's info. On a busy machine that may be too short.
    await page.addInitScript(() => {
      const start = window.setTimeout;
      const patiently = (run: () => void, ms = 0) => start(run, ms === 500 ? 60_000 : ms);
      Object.assign(window, { setTimeout: patiently });
    });
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/v1/")) asked.push(pathname.slice("/api/v1/".length));
    });
    await page.goto(mailkeep.http);
    await page.locator("html[data-live=live]").waitFor();
    await rowOf(page, "Two").waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked.sort()).toEqual(["inboxes", "info", "me", "messages", "tags"]);
  });
});
