// A server for a team: inboxes and tokens, and a page that offers only what a role allows.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import type { BrowserContextOptions, Page } from "playwright-core";
import { CLIENT, startProvider } from "../http/support/provider.ts";
import { violationsIn } from "./support/axe.ts";
import { inBrowser, openFromRail, rowOf, waitForSubjects } from "./support/browser.ts";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";

inBrowser("a page for a team", (bench) => {
  let server: Mailkeep;
  beforeAll(async () => {
    const users = ["admin=ann:secret", "write=wim:secret", "read=bob:secret"];
    server = await startMailkeep(
      { smtp: 0, http: 0 },
      users.map((user) => `--http-auth=${user}`),
    );
    await server.send({ subject: "For all" });
  });
  afterAll(() => server.stop());

  async function openAs(name: string, options?: BrowserContextOptions, path = "/"): Promise<Page> {
    const page = await bench().newPage({ reducedMotion: "reduce", ...options });
    await page.goto(server.http.replace("//", `//${name}:secret@`) + path);
    await page.locator("html[data-live=live]").waitFor();
    return page;
  }

  test("offers a reader no changes of mail, and a writer no changes of the server", async () => {
    const page = await openAs("bob", { viewport: { width: 1440, height: 900 } });
    await rowOf(page, "For all").click();
    await page.getByRole("tabpanel").waitFor();
    await page.getByRole("button", { name: "bob · read" }).waitFor();
    for (const name of [/^Delete/, /^Mark/, /^Star$/, /^Tag$/, "Release", "Tokens"]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
    await page.keyboard.press("#");
    await page.keyboard.press("f");
    await page.getByRole("dialog").getByText("No rules. All mail is accepted").waitFor();
    expect(await page.getByLabel("Name").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "bob · read" }).click();
    await page.getByText("Signed in as bob").waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByText("1 · 1 unread").waitFor();

    const writer = await openAs("wim", { viewport: { width: 1440, height: 900 } });
    await rowOf(writer, "For all").hover();
    await rowOf(writer, "For all").getByRole("button", { name: "Star" }).click();
    await writer.locator(".mail-row:has(.is-starred)").waitFor();
    expect(await writer.getByRole("button", { name: "Tokens" }).count()).toBe(0);
  });

  test("signs in at a provider, says when the session has ended, and hides the mail after signing out", async () => {
    const provider = await startProvider({ ann: { groups: ["qa"] } });
    const guarded = await startMailkeep({ smtp: 0, http: 0 }, [
      `--oidc-issuer=${provider.issuer}`,
      `--oidc-client-id=${CLIENT.clientId}`,
      `--oidc-client-secret=${CLIENT.clientSecret}`,
      "--oidc-scope=openid groups",
      "--oidc-allow=groups=qa:write",
    ]);
    provider.serve(`${guarded.http}/auth/callback`);
    await guarded.send({ subject: "For all" });
    const page = await bench().newPage();
    const signIn = async () => {
      await page.getByPlaceholder("Enter any login").fill("ann");
      await page.getByPlaceholder("and password").fill("any");
      await page.getByRole("button", { name: "Sign-in" }).click();
      await page.getByRole("button", { name: "Continue" }).click();
    };
    await page.goto(guarded.http);
    await signIn();
    await rowOf(page, "For all").click();
    await page.getByRole("tabpanel").waitFor();
    await page.context().clearCookies();
    await page.getByRole("tab", { name: "Transcript" }).click();
    await page.getByText("You are signed out.").waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await signIn();
    await page.getByRole("heading", { name: "For all" }).waitFor();
    await page.keyboard.press(",");
    await page.getByText("Signed in as").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await page.getByText("For all").count()).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
    await guarded.stop();
    provider.stop();
  });

  test("makes a token, shows it once and revokes it", async () => {
    const page = await openAs("ann", { viewport: { width: 1440, height: 900 } });
    const dialog = await openFromRail(page, "Tokens");
    await dialog.getByLabel("Name").fill("nightly");
    await dialog.getByLabel("Role").selectOption("read");
    await dialog.getByLabel("Expires").fill("soon");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await page.locator(".toast").waitFor();
    await dialog.getByLabel("Expires").fill("7d");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByRole("row", { name: /nightly read all mail/ }).waitFor();
    const token = await dialog.locator("code", { hasText: /^mk_[\w-]/ }).textContent();
    await dialog.getByRole("button", { name: "Copy Token" }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    const ask = () =>
      fetch(`${server.http}/api/v1/messages`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    await dialog.getByRole("button", { name: "Revoke nightly" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There are no tokens").waitFor();
    expect((await ask()).status).toBe(401);
  });

  test("makes an inbox, switches to it and removes it", async () => {
    const page = await openAs("ann", { viewport: { width: 1440, height: 900 } });
    const dialog = await openFromRail(page, "Inboxes");
    await dialog.getByLabel("Name").fill("ci-42");
    await dialog.getByLabel("Expires").fill("2h");
    await dialog.getByRole("button", { name: "Create inbox" }).click();
    const secret = (name: string) => dialog.locator(".facts > div", { hasText: name }).locator("code");
    const user = (await secret("SMTP user").textContent()) ?? "";
    const pass = (await secret("Token and").textContent()) ?? "";
    expect(await violationsIn(page)).toEqual([]);
    const transport = createTransport({ ...server.smtp, ignoreTLS: true, auth: { user, pass } });
    await transport.sendMail({ from: "a@x.test", to: "b@x.test", subject: "For CI", text: "x" });
    await dialog.getByRole("row", { name: /ci-42 1, 1 unread/ }).waitFor();
    await dialog.getByRole("link", { name: "ci-42" }).click();
    await waitForSubjects(page, ["For CI"]);
    expect(new URL(page.url()).search).toBe("?inbox=ci-42");
    await page.waitForFunction(() => document.title === "(1) ci-42 · Mailkeep");
    // The chosen inbox stays in its place.
    const entries = page.getByRole("group", { name: "Inboxes" }).getByRole("link");
    await entries.first().waitFor();
    expect(await entries.locator("bdi").allTextContents()).toEqual(["All inboxes", "default", "ci-42"]);
    await transport.sendMail({ from: "a@x.test", to: "b@x.test", subject: "Live", text: "x" });
    await server.send({ subject: "Not here" });
    await waitForSubjects(page, ["Live", "For CI"]);
    await rowOf(page, "Live").click();
    await page.getByRole("tabpanel").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Live" }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.goBack();
    await openFromRail(page, "Inboxes");
    await dialog.getByRole("button", { name: "Remove ci-42" }).click();
    await page.getByText("Its mail (2)").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await rowOf(page, "Not here").first().waitFor();
    expect(new URL(page.url()).search).toBe("");
    await rowOf(page, "Live").waitFor({ state: "detached" });
  });

  for (const width of [1440, 390]) {
    test(`says that the inbox does not exist any more, and asks for it no more, ${width} pixels wide`, async () => {
      await bench().mailkeep.ask("PUT", "/inboxes/short");
      await bench().mailkeep.ask("PUT", "/inboxes/other");
      const page = await bench().newPage({ viewport: { width, height: 800 } });
      await page.clock.install();
      await page.goto(`${bench().mailkeep.http}/?inbox=short`);
      await page.locator("html[data-live=live]").waitFor();
      await bench().mailkeep.ask("DELETE", "/inboxes/short");
      await page.getByRole("heading", { name: "The inbox short does not exist" }).waitFor();
      // By then the first requests of the reloaded page were sent.
      await page.clock.runFor("00:05");
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("websocket", (socket) => asked.push(socket.url()));
      if (width < 1200) await page.getByRole("button", { name: "Mailbox and tags" }).click();
      await page.getByRole("link", { name: "other" }).waitFor();
      if (width < 1200) await page.keyboard.press("Escape");
      expect(await page.getByText("SMTP", { exact: true }).count()).toBe(0);
      expect(await violationsIn(page)).toEqual([]);
      await page.clock.runFor("01:00");
      expect(asked.filter((url) => url.includes("short"))).toEqual([]);
      expect(await page.locator(".offline-banner, .live-reconnecting").count()).toBe(0);
      await page.getByRole("link", { name: "Show all inboxes" }).click();
      await page.locator("html[data-live=live]").waitFor();
    });
  }
});
