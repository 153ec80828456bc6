// A foreign web page in a real browser: it may neither read nor change the mailbox, nor listen to it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { MessageList } from "../../src/model/index.ts";
import { inBrowser, REBOUND_HOST } from "./support/browser.ts";
import type { Mailkeep } from "./support/mailkeep.ts";

inBrowser("a page from elsewhere", (bench) => {
  let mailkeep: Mailkeep;
  let elsewhere: ReturnType<typeof Bun.serve>;
  let page: Page;
  let id: string;
  const stored = async () => {
    const { messages } = (await (await fetch(`${mailkeep.http}/api/v1/messages`)).json()) as MessageList;
    return messages;
  };

  beforeAll(async () => {
    mailkeep = bench().mailkeep;
    await mailkeep.send({ subject: "secret" });
    id = await mailkeep.idOf("secret");
    elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response("<!doctype html><title>evil</title>", { headers: { "content-type": "text/html" } }),
    });
    page = await bench().browser.newPage();
    await page.goto(elsewhere.url.href);
  });
  afterAll(async () => {
    await page.close();
    await elsewhere.stop(true);
  });

  test("cannot change, with or without a preflight", async () => {
    // The page cannot read the answers, so `target` counts the releases that were carried out.
    let releases = 0;
    const open = (socket: { end(): void }) => {
      releases++;
      socket.end();
    };
    using target = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open, data() {} } });
    const outcomes = await page.evaluate(
      async ({ url, id, port }) => {
        const attempt = (path: string, init: RequestInit) =>
          fetch(url + path, init).then(
            ({ type, status }) => (type === "opaque" ? "sent" : String(status)),
            () => "refused",
          );
        return [
          await attempt("/api/v1/messages", { method: "DELETE" }),
          await attempt(`/api/v1/messages/${id}`, { method: "PATCH", body: '{"is_read":true}' }),
          await attempt(`/api/v1/messages/${id}/release`, {
            method: "POST",
            mode: "no-cors",
            body: JSON.stringify({ host: "127.0.0.1", port }),
          }),
        ];
      },
      { url: mailkeep.http, id, port: target.port },
    );
    expect(outcomes).toEqual(["refused", "refused", "refused"]);
    expect(releases).toBe(0);
    expect(await stored()).toMatchObject([{ id, is_read: false }]);
  });

  test("can neither read nor listen nor show the content of a mail", async () => {
    const outcomes = await page.evaluate(`Promise.all([
      fetch("${mailkeep.http}/api/v1/messages").then(() => "read", () => "refused"),
      new Promise((resolve) => {
        const socket = new WebSocket("${mailkeep.http.replace("http", "ws")}/api/v1/ws");
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
      new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve("shown");
        image.onerror = () => resolve("refused");
        image.src = "${mailkeep.http}/api/v1/messages/${id}/raw";
      }),
    ])`);
    expect(outcomes).toEqual(["refused", "refused", "refused"]);
  });

  test("whose own host name points here can neither read nor change nor listen, whatever headers it sends", async () => {
    const origin = `http://${REBOUND_HOST}:${new URL(mailkeep.http).port}`;
    // In DNS rebinding the page comes from another server, so it does not have Mailkeep's policy.
    // Browsers send Accept-Language, but headless Chromium does so only if it has a locale.
    const own = await bench().newPage({ bypassCSP: true, locale: "en-GB" });
    await own.goto(origin);
    for (const headers of [
      {},
      { "user-agent": "curl/8" },
      { "user-agent": "curl/8", "accept-language": "" },
      { "x-forwarded-host": "localhost" },
    ]) {
      // Not every browser lets a page set these headers itself, so the test sets them, too.
      await own.setExtraHTTPHeaders(headers);
      const outcomes = await own.evaluate(
        async ({ url, sent }: { url: string; sent: Record<string, string> }) => {
          const attempt = async (method: string) =>
            (await fetch(`${url}/api/v1/messages`, { method, headers: sent })).status;
          const listening = new Promise((resolve) => {
            const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/ws`);
            socket.onopen = () => resolve("open");
            socket.onerror = () => resolve("refused");
          });
          return [await attempt("GET"), await attempt("DELETE"), await listening];
        },
        { url: origin, sent: headers },
      );
      expect(outcomes).toEqual([403, 403, "refused"]);
    }
    expect(await stored()).toMatchObject([{ id, is_read: false }]);
  });
});
