// Mail that attacks its reader: nothing of it runs, submits, navigates, or contacts another server.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser } from "./support/browser.ts";

/** `REMOTE` stands for the address of a server that must not be contacted unasked. */
const ATTACKS: Record<string, string> = {
  "a script": `<script>top.pwned = 1; fetch("REMOTE/script")</script>`,
  "a script from elsewhere": `<script src="REMOTE/script.js"></script>`,
  "an onerror handler": `<img src="x" onerror="top.pwned = 1; fetch('REMOTE/onerror')">`,
  "a form that submits itself": `<form id="f" action="REMOTE/form"><button id="go" autofocus onfocus="f.submit()">Go</button></form>`,
  "a meta refresh": `<meta http-equiv="refresh" content="0;url=REMOTE/refresh">`,
  "a base address": `<base href="REMOTE/"><img src="based.png"><a id="go" href="based">Go</a>`,
  "a script in SVG": `<svg xmlns="http://www.w3.org/2000/svg"><script>top.pwned = 1</script><image href="REMOTE/svg.png"/></svg>`,
  "a style import": `<style>@import "REMOTE/import.css"; body { background: url(REMOTE/background.png) }</style>`,
  "a linked style sheet": `<link rel="stylesheet" href="REMOTE/linked.css"><link rel="prefetch" href="REMOTE/prefetch">`,
  "a remote image": `<img src="REMOTE/image.png" srcset="REMOTE/image2.png 2x">`,
  "a frame": `<iframe src="REMOTE/frame"></iframe><object data="REMOTE/object"></object><embed src="REMOTE/embed">`,
  "a frame of this page": `<iframe src="/"></iframe>`,
  "a javascript link": `<a id="go" href="javascript:top.pwned=1">Go</a>`,
  "a link for the whole window": `<a id="go" href="about:blank" target="_top">Go</a>`,
  "media and fonts": `<video src="REMOTE/video" poster="REMOTE/poster.png" autoplay></video><style>@font-face { font-family: x; src: url(REMOTE/font) } body { font-family: x }</style>`,
  "broken markup": `<img src="x" onerror=top.pwned=1 <script>top.pwned=1</script <style><img src="</style><img src=x onerror=top.pwned=1>">`,
};

/** The path of the only image that "Load once" requests, for attacks that offer this button. */
const IMAGES: Record<string, string> = {
  "a style import": "/background.png",
  "a remote image": "/image.png",
};

inBrowser("hostile mail", (bench) => {
  const asked: string[] = [];
  const elsewhere = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, headers }) => {
      const referer = headers.get("referer");
      asked.push(new URL(url).pathname + (referer === null ? "" : `, told where the reader is: ${referer}`));
      return new Response("body { color: red }");
    },
  });
  const remote = `http://127.0.0.1:${elsewhere.port}`;

  let page: Page;
  beforeAll(async () => {
    for (const [name, html] of Object.entries(ATTACKS)) {
      await bench().mailkeep.send({ subject: `With ${name}`, html: html.replaceAll("REMOTE", remote) });
    }
    page = await bench().open("/", { viewport: { width: 1280, height: 1300 } });
    page.on("dialog", (dialog) => asked.push(`dialog ${dialog.message()}`));
  });
  afterAll(() => elsewhere.stop(true));

  for (const name of Object.keys(ATTACKS)) {
    const image = IMAGES[name];
    test(`with ${name} does nothing and contacts nobody${image ? ", until its image is loaded" : ""}`, async () => {
      const counted = page.waitForResponse((response) => response.request().method() === "HEAD");
      const subject = page.locator(".mail-row").getByText(`With ${name}`, { exact: true });
      const address = await subject.evaluate((element) => element.closest("a")?.href ?? "");
      await subject.click();
      await counted;
      await provoke(page);
      const pwned = await page.evaluate(() => "pwned" in window);
      expect({ pwned, address: page.url(), asked }).toEqual({ pwned: false, address, asked: [] });
      const load = page.getByRole("button", { name: "Load once" });
      expect(await load.count()).toBe(image ? 1 : 0);
      if (!image) return;
      const loaded = page.waitForResponse(remote + image);
      await load.click();
      await loaded;
      await page.getByText("Remote images are blocked").waitFor({ state: "detached" });
      await provoke(page);
      expect(asked.splice(0)).toEqual([image]);
    });
  }

  test("in an attachment is never opened as a page of Mailkeep", async () => {
    const { open, mailkeep } = bench();
    await mailkeep.send({
      subject: "Page attached",
      attachments: [
        { filename: "page.html", content: "<script>top.pwned = 1</script>", contentType: "text/html" },
      ],
    });
    const id = await mailkeep.idOf("Page attached");
    const page = await open(`/messages/${id}?tab=attachments`);
    await page.getByRole("button", { name: "View page.html" }).click();
    await page.locator(".viewer-text", { hasText: "top.pwned = 1" }).waitFor();
    expect(await page.locator(".viewer iframe").count()).toBe(0);
  });
});

async function provoke(page: Page): Promise<void> {
  const frame = page.frameLocator("iframe.html-frame");
  await frame.locator("body").waitFor({ state: "attached" });
  const bait = frame.locator("#go");
  if ((await bait.count()) > 0) await bait.click({ noWaitAfter: true });
  // After two drawn frames and an answer from the server, any attack would have happened.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await fetch("/api/v1/info");
  });
}
