// A server that goes away and comes back: the page says so, reconnects and catches up by itself.
import { expect, test } from "bun:test";
import type { Page, WebSocketRoute } from "playwright-core";
import { freePort } from "../../scripts/postgres.ts";
import { inBrowser, rowOf, waitForSubjects } from "./support/browser.ts";
import { floodBySmtp } from "./support/flood.ts";
import { startMailkeep } from "./support/mailkeep.ts";

const countsRows = (count: number) =>
  Number(document.getElementById("mail-list")?.ariaRowCount ?? 0) === count;

/** Presses a button, if it is still there. */
const press = (page: Page, name: string) =>
  page.getByRole("button", { name }).evaluateAll(([button]) => (button as HTMLElement | undefined)?.click());

inBrowser("a lost connection", (bench) => {
  test("is shown, restored, and missed events follow, without a reload", async () => {
    const ports = { smtp: freePort(), http: freePort() };
    const first = await startMailkeep(ports);
    await first.send({ subject: "Before" });
    const page = await bench().open();
    await page.goto(first.http);
    await rowOf(page, "Before").waitFor();
    await page.evaluate(() => {
      document.body.dataset.same = "page";
    });
    await first.stop();
    await page.locator(".live-reconnecting").waitFor();
    const second = await startMailkeep(ports);
    await second.send({ subject: "Missed" });
    await page.locator("html[data-live=live]").waitFor();
    await waitForSubjects(page, ["Missed"]);
    await second.send({ subject: "After" });
    await waitForSubjects(page, ["After", "Missed"]);
    expect(await page.locator("body").getAttribute("data-same")).toBe("page");
    await second.stop();
  });

  test("says that the open message is gone if it was deleted while offline", async () => {
    const ports = { smtp: freePort(), http: freePort() };
    const first = await startMailkeep(ports);
    await first.send({ subject: "Gone with the server" });
    const page = await bench().open();
    await page.goto(`${first.http}/messages/${await first.idOf("Gone with")}`);
    await page.getByRole("heading", { name: "Gone with the server" }).waitFor();
    await page.locator("html[data-live=live]").waitFor();
    await first.stop();
    const second = await startMailkeep(ports);
    await page.getByRole("heading", { name: "This mail no longer exists" }).waitFor();
    await page.waitForFunction(() => document.title === "Mailkeep");
    await second.stop();
  });

  test("is shown across the page, and actions meanwhile fail with a notice", async () => {
    const ports = { smtp: freePort(), http: freePort() };
    const server = await startMailkeep(ports);
    await server.send({ subject: "Kept in sight" });
    const page = await bench().open();
    await page.goto(server.http);
    await rowOf(page, "Kept in sight").waitFor();
    await page.locator("html[data-live=live]").waitFor();
    await server.stop();
    await page.getByText("The connection to the server is lost.").waitFor();
    await rowOf(page, "Kept in sight").getByRole("button", { name: "Star" }).click();
    await page.locator(".toast", { hasText: "Not saved: The Mailkeep server cannot be reached." }).waitFor();
    await rowOf(page, "Kept in sight").getByRole("button", { name: "Star", pressed: false }).waitFor();
    await press(page, "Dismiss");
    await rowOf(page, "Kept in sight").hover();
    await page.getByRole("checkbox").click();
    await page.locator(".bulk-bar").getByRole("button", { name: "Delete", exact: true }).click();
    // Leaving the page ends the time for Undo, so the page deletes at once.
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await page.locator(".toast", { hasText: "Not deleted" }).waitFor();
    await rowOf(page, "Kept in sight").waitFor();
    await page.getByText("1 · 1 unread").waitFor();
    await page.getByLabel("Search mail").fill("elsewhere");
    await page.getByRole("heading", { name: "The server does not answer" }).waitFor();
    const second = await startMailkeep(ports);
    await press(page, "Try now");
    await page.getByRole("heading", { name: "Nothing found for" }).waitFor();
    await page.getByText("The connection to the server is lost.").waitFor({ state: "detached" });
    await second.stop();
  });

  test("marks a message as read once it can be loaded", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({ subject: "Out of reach" });
    const id = await mailkeep.idOf("Out of reach");
    const page = await open();
    let isDown = true;
    await page.route(`**/api/v1/messages/${id}**`, (route) => (isDown ? route.abort() : route.continue()));
    await page.goto(`${mailkeep.http}/messages/${id}`);
    await page.getByRole("button", { name: "Try again" }).waitFor();
    isDown = false;
    await press(page, "Try again");
    await page.getByRole("heading", { name: "Out of reach" }).waitFor();
    await mailkeep.ask("DELETE", `/messages/${id}`);
  });

  test("subtracts mail that was deleted while offline, but only once", async () => {
    const server = await startMailkeep();
    await floodBySmtp(server.smtp, 250);
    const page = await bench().newPage();
    const sockets: WebSocketRoute[] = [];
    const isBack = Promise.withResolvers<void>();
    await page.routeWebSocket(/\/api\/v1\/ws/, async (socket) => {
      if (sockets.push(socket) > 1) await isBack.promise;
      socket.connectToServer();
    });
    await page.goto(server.http);
    await page.locator("html[data-live=live]").waitFor();
    await server.send({ subject: "Heard of" });
    await rowOf(page, "Heard of").waitFor();
    await sockets[0]?.close({ code: 1001 });
    await page.locator(".live-reconnecting").waitFor();
    await server.ask("DELETE", `/messages/${(await server.ids()).at(-1)}`);
    for (const shown of [0, 250]) {
      await page.getByRole("button", { name: "Starred", exact: true }).click();
      await page.waitForFunction(countsRows, shown);
    }
    isBack.resolve();
    await page.locator("html[data-live=live]").waitFor();
    await server.send({ subject: "Heard of again" });
    await page.waitForFunction(countsRows, 251);
    await server.stop();
  });

  test("resumes from the last event, without fetching the list again", async () => {
    const { newPage, mailkeep } = bench();
    const page = await newPage();
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    await page.goto(mailkeep.http);
    await page.locator("html[data-live=live]").waitFor();
    await mailkeep.send({ subject: "Seen live" });
    await rowOf(page, "Seen live").waitFor();
    const lists: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/messages?")) lists.push(request.url());
    });
    await sockets[0]?.close({ code: 1001 });
    await mailkeep.send({ subject: "While away" });
    await waitForSubjects(page, ["While away", "Seen live"]);
    expect(sockets[1]?.url()).toContain("since=");
    expect(lists).toEqual([]);
  });

  test("through a proxy that blocks events still shows new mail, and removes deleted mail", async () => {
    const { newPage, mailkeep } = bench();
    await mailkeep.send({ subject: "Deleted elsewhere" });
    const page = await newPage();
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => socket.close({ code: 1011 }));
    await page.goto(mailkeep.http);
    await page.locator(".live-reconnecting").waitFor();
    await mailkeep.send({ subject: "Not told of" });
    await rowOf(page, "Not told of").waitFor();
    await rowOf(page, "Deleted elsewhere").click();
    await page.getByRole("heading", { name: "Deleted elsewhere" }).waitFor();
    const id = await mailkeep.idOf("Deleted elsewhere");
    await mailkeep.ask("DELETE", `/messages/${id}`);
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByRole("heading", { name: "This mail no longer exists" }).waitFor();
    await rowOf(page, "Deleted elsewhere").waitFor({ state: "detached" });
  });

  test("misses no change between the list and the first event", async () => {
    const { newPage, mailkeep, reset } = bench();
    await reset();
    for (const subject of ["Read meanwhile", "Deleted meanwhile", "Kept"]) await mailkeep.send({ subject });
    const page = await newPage();
    const heard = Promise.withResolvers<void>();
    await page.routeWebSocket(/\/api\/v1\/ws/, async (socket) => {
      await heard.promise;
      socket.connectToServer();
    });
    await page.goto(mailkeep.http);
    await page.getByText("3 · 3 unread").waitFor();
    await waitForSubjects(page, ["Kept", "Deleted meanwhile", "Read meanwhile"]);
    await mailkeep.ask("DELETE", `/messages/${await mailkeep.idOf("Deleted")}`);
    const change = { is_read: true, tags: ["new"] };
    await mailkeep.ask("PATCH", `/messages/${await mailkeep.idOf("Read")}`, change);
    heard.resolve();
    await waitForSubjects(page, ["Kept", "Read meanwhile"]);
    await page.getByText("2 · 1 unread").waitFor();
    await page.getByRole("button", { name: "new 1", exact: true }).waitFor();
  });
});
